# Installs, runs and removes silently: packaging/smoke/windows.ps1 SETUP.exe
param([Parameter(Mandatory)] [string] $Setup)
$ErrorActionPreference = 'Stop'

function Invoke-Program([string] $Program, [string[]] $Arguments) {
    $process = Start-Process -FilePath $Program -ArgumentList $Arguments -Wait -PassThru
    if ($process.ExitCode -ne 0) { throw "$Program ended with status $($process.ExitCode)" }
}

$folder = Join-Path $env:TEMP 'staged-chat-smoke'
$report = Join-Path $env:TEMP 'staged-chat-self-test.json'
$program = Join-Path $folder 'staged-chat.exe'
Invoke-Program $Setup @('/VERYSILENT', '/SUPPRESSMSGBOXES', "/DIR=`"$folder`"")
$env:PATH = "$env:SystemRoot\System32" # no Python
Invoke-Program $program @('--self-test', "`"$report`"")
if (-not (Get-Content $report -Raw | ConvertFrom-Json).ok) { throw "the self-test failed: $(Get-Content $report -Raw)" }
$answer = & (Join-Path $folder 'staged-chat-terminal.exe') engine generate --prompt 'Hello!' --max-new-tokens 8
if ($LASTEXITCODE -ne 0 -or -not $answer) { throw "no answer in the terminal: status $LASTEXITCODE" }
Invoke-Program (Join-Path $folder 'unins000.exe') @('/VERYSILENT')
for ($second = 0; (Test-Path $program) -and $second -lt 60; $second++) { Start-Sleep 1 } # a copy of it does the work
if (Test-Path $program) { throw 'the uninstaller left the program behind' }
