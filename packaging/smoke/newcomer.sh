# What the smoke tests of Linux share; they source it. A newcomer is an ordinary user with an empty home, and with a path
# that has no Python. Needs root and a machine that may be changed, and for the window xvfb, xdotool and imagemagick.
# shellcheck shell=bash

user=staged-chat-newcomer
scratch=$(mktemp -d)
bin=$scratch/bin

say() { printf '\n== %s\n' "$*"; }

leave() {
    pkill -KILL --uid "$user" || true
    kill "${display_pid:-}" 2>/dev/null || true
    userdel --remove --force "$user" 2>/dev/null || true
    rm -rf "$scratch"
}
trap leave EXIT

useradd --create-home --skel /var/empty --shell /bin/sh "$user"
home=$(getent passwd "$user" | cut -d: -f6)
database=$home/.local/share/staged-chat/conversations.sqlite3
mkdir "$bin"
find /usr/bin -maxdepth 1 ! -name 'python*' ! -name 'pypy*' ! -type d -exec ln -s -t "$bin" {} +
chmod 755 "$scratch" "$bin"

as_user() { runuser --user "$user" -- env --ignore-environment --chdir="$home" HOME="$home" PATH="$bin" LANG=C.UTF-8 "$@"; }

if as_user sh -c 'command -v python3 || command -v python'; then exit 1; fi

check_self_test() { # COMMAND...
    as_user "$@" --self-test self-test.json
    grep --quiet '"ok": true' "$home/self-test.json"
    sed -n '/"start"/,/}/p' "$home/self-test.json"
}

is_answered() {
    python3 - "$database" <<'PYTHON'
import sqlite3, sys
query = "SELECT count(*) FROM messages WHERE role = 'assistant' AND stop_reason IS NOT NULL AND text != ''"
sys.exit(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(query).fetchone() == (0,))
PYTHON
}

chat_in_window() { # SCREENSHOT.png COMMAND...
    local screenshot=$1 program window
    shift
    Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$scratch/display" 2>/dev/null &
    display_pid=$!
    until [ -s "$scratch/display" ]; do sleep 0.1; done
    DISPLAY=:$(cat "$scratch/display")
    export DISPLAY
    as_user env DISPLAY="$DISPLAY" "$@" &
    program=$!
    window=$(timeout 120 xdotool search --sync --onlyvisible --name 'Staged Chat' 2>/dev/null | head -n 1)
    xdotool windowsize "$window" 1280 800 windowfocus --sync "$window" type 'Hello! How are you?'
    xdotool key Return
    for ((second = 0; second < 120; second++)); do
        if is_answered 2>/dev/null; then break; fi
        sleep 1
    done
    is_answered
    sleep 1 # until it is drawn
    import -window root "$screenshot"
    pkill -TERM --exact --uid "$user" 'staged-chat|AppRun' # an ordinary end: everything is saved
    wait "$program"
}
