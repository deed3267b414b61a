"""Plays a person at a terminal: runs a command on a pseudo-terminal, types, waits for text.

usage: pty_session.py '{"argv": [...], "steps": [["expect", TEXT] | ["type", TEXT] | ["hang up"]]}'

Prints {"failed": STEP or null, "screen": TEXT, "status": EXIT STATUS or null}. Every wait has one
generous limit, so that a slow machine changes nothing.
"""

import json
import os
import pty
import select
import signal
import sys
import time

LIMIT_SECONDS = 60

job = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    # What the test runner ignores is not what a login shell's children start with.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(job["argv"][0], job["argv"])

screen = ""
seen = 0
closed = False


def read_some():
    global screen, closed
    ready, _, _ = select.select([terminal], [], [], 0.1)
    if not ready:
        return
    try:
        data = os.read(terminal, 65536)
    except OSError:
        data = b""
    closed = data == b""
    screen += data.decode(errors="replace")


def expect(text):
    global seen
    limit = time.monotonic() + LIMIT_SECONDS
    while True:
        at = screen.find(text, seen)
        if at >= 0:
            seen = at + len(text)
            return True
        if closed or time.monotonic() > limit:
            return False
        read_some()


def wait_for_end():
    limit = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < limit:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if closed:
            time.sleep(0.05)
        else:
            read_some()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


failed = None
for index, step in enumerate(job["steps"]):
    if step[0] == "type":
        os.write(terminal, step[1].encode())
    elif step[0] == "hang up":
        os.close(terminal)
        closed = True
    elif not expect(step[1]):
        failed = index
        break

if failed is not None and not closed:
    os.close(terminal)
    closed = True
status = wait_for_end()
print(json.dumps({"failed": failed, "screen": screen, "status": status}))
