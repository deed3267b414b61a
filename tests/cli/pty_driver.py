"""Runs a program on a pseudo-terminal and plays a person: waits for a text, types an answer.

Reads one JSON object from standard input and prints one:
  in:  {"command": [..], "env": {..}, "steps": [[EXPECT, TYPE], ..], "columns": N, "piped": TEXT | null}
  out: {"output": TEXT, "status": N, "missed": EXPECT | null}
With "piped" the program's standard input is a pipe that holds the text, and the terminal is only its
controlling one. A program that ends by signal N gives the status 128 + N, as in a shell.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LIMIT_SECONDS = 60
# A prompt is drawn in several writes; the answer is typed once nothing more came for this long.
QUIET_SECONDS = 0.15


def start(plan):
    read_end, write_end = os.pipe()
    process, terminal = pty.fork()
    if process == 0:
        size = struct.pack("HHHH", 24, plan.get("columns", 80), 0, 0)
        fcntl.ioctl(1, termios.TIOCSWINSZ, size)
        if plan.get("piped") is not None:
            os.dup2(read_end, 0)
        os.close(read_end)
        os.close(write_end)
        os.execvpe(plan["command"][0], plan["command"], plan["env"])
    os.close(read_end)
    os.write(write_end, (plan.get("piped") or "").encode())
    os.close(write_end)
    return process, terminal


def play(plan):
    process, terminal = start(plan)
    output = b""
    seen = 0
    steps = list(plan["steps"])
    deadline = time.monotonic() + LIMIT_SECONDS
    ended = False
    while not ended and time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], QUIET_SECONDS)
        if ready:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                part = b""
            ended = part == b""
            output += part
        elif steps:
            expect, answer = steps[0]
            at = output.find(expect.encode(), seen)
            if at >= 0:
                seen = len(output)
                steps.pop(0)
                os.write(terminal, answer.encode())
    if not ended:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    missed = steps[0][0] if steps else None
    return {"output": output.decode("utf-8", "replace"), "status": code, "missed": missed}


print(json.dumps(play(json.load(sys.stdin))))
