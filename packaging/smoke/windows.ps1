# Installs, runs and removes silently: packaging/smoke/windows.ps1 SETUP.exe
param([Parameter(Mandatory)] [string] $Setup)
$ErrorActionPreference = 'Stop'

function Invoke-Program([string] $Program, [string[]] $Arguments) {
    $process = Start-Process -FilePath $Program -ArgumentList $Arguments -Wait -PassThru
    if ($process.ExitCode -ne 0) { throw "$Program ended with status $($process.ExitCode)" }
}

$folder = Join-Path $env:TEMP 'staged-chat-smoke'
$report = Join-Path $env:TEMP 'staged-chat-self-test.json'
Invoke-Program $Setup @('/VERYSILENT', '/SUPPRESSMSGBOXES', "/DIR=$folder")
$env:PATH = "$env:SystemRoot\System32"
Invoke-Program (Join-Path $folder 'staged-chat.exe') @('--self-test', $report)
if (-not (Get-Content $report -Raw | ConvertFrom-Json).ok) { throw "the self-test failed: $(Get-Content $report -Raw)" }
Invoke-Program (Join-Path $folder 'unins000.exe') @('/VERYSILENT')
if (Test-Path (Join-Path $folder 'staged-chat.exe')) { throw 'the uninstaller left the program behind' }
