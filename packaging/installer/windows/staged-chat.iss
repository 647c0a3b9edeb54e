; Per user, no administrator: packaging/build.py calls it with /DVersion, /DSource and /DIcon.

[Setup]
AppId={{6E0B1B53-5D0B-4B0C-9C39-6A6D3A1F1C57}
AppName=Staged Chat
AppVersion={#Version}
AppPublisher=Staged Chat contributors
DefaultDirName={autopf}\Staged Chat
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
Compression=lzma2/normal
SolidCompression=yes
SetupIconFile={#Icon}
UninstallDisplayIcon={app}\staged-chat.exe
LicenseFile={#SourcePath}\..\..\..\LICENSE
CloseApplications=yes
WizardStyle=modern

[InstallDelete]
; An upgrade must not leave an older release's libraries among the new ones.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Source}\*"; DestDir: "{app}"; Flags: recursesubdirs createallsubdirs ignoreversion

[Icons]
Name: "{autoprograms}\Staged Chat"; Filename: "{app}\staged-chat.exe"
Name: "{autodesktop}\Staged Chat"; Filename: "{app}\staged-chat.exe"; Tasks: desktopicon

[Tasks]
Name: desktopicon; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[Run]
Filename: "{app}\staged-chat.exe"; Description: "{cm:LaunchProgram,Staged Chat}"; Flags: nowait postinstall skipifsilent

[Code]
procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if (Step = usPostUninstall) and not UninstallSilent then
    if MsgBox('Delete your conversations, settings and downloaded models too?', mbConfirmation,
              MB_YESNO or MB_DEFBUTTON2) = IDYES then
      DelTree(ExpandConstant('{localappdata}\staged-chat'), True, True, True);
end;
