import assert from "node:assert/strict";
import {
  type Candidate,
  CommandError,
  type CommandLookup,
  resolveCommand,
} from "../../src/run/child_command.ts";

/** A file system as a table: every path that is not in it is absent. */
function files(table: Record<string, Candidate>): Pick<CommandLookup, "inspect"> {
  return { inspect: (path) => table[path] ?? "absent" };
}

function refusal(command: string, lookup: CommandLookup): CommandError {
  try {
    resolveCommand(command, lookup);
  } catch (error) {
    assert.ok(error instanceof CommandError);
    return error;
  }
  assert.fail("the command was accepted");
}

Deno.test("a command that is nowhere gives 127, its name and what to do", () => {
  for (const command of ["nonesuch", "./nonesuch", "/no/such/file", ""]) {
    const error = refusal(command, { path: "/usr/bin:/bin", ...files({}) });
    assert.equal(error.exitStatus, 127);
    assert.ok(error.message.includes(`"${command}"`));
    assert.ok(error.hint);
  }
});

Deno.test("a command with a NUL in it gives 127 instead of reaching the system", () => {
  const inspect = () => assert.fail("the file system was asked");
  assert.equal(refusal("a\0b", { path: "/bin", inspect }).exitStatus, 127);
});

Deno.test("a file without the execute bit gives 126 and the chmod to type", () => {
  const error = refusal("./my tool", {
    path: "/bin",
    ...files({ "./my tool": "not_executable" }),
  });
  assert.equal(error.exitStatus, 126);
  assert.equal(error.hint, "chmod +x './my tool'");
});

Deno.test("a directory gives 126 when it is named, and is passed over on PATH", () => {
  const named = refusal("/etc", { path: "", ...files({ "/etc": "directory" }) });
  assert.equal(named.exitStatus, 126);
  assert.match(named.message, /directory/);
  const table = files({ "/a/tool": "directory", "/b/tool": "executable" });
  assert.equal(resolveCommand("tool", { path: "/a:/b", ...table }), "/b/tool");
  assert.equal(refusal("tool", { path: "/a", ...table }).exitStatus, 127);
});

Deno.test("the first executable file on PATH wins over an earlier one that is not executable", () => {
  const table = files({ "/a/x": "not_executable", "/b/x": "executable", "/c/x": "executable" });
  assert.equal(resolveCommand("x", { path: "/a:/b:/c", ...table }), "/b/x");
  assert.equal(refusal("x", { path: "/a:/z", ...table }).exitStatus, 126);
});

Deno.test("a command with a slash is not looked for on PATH", () => {
  const table = files({ "/bin/sub/x": "executable", "sub/x": "executable" });
  assert.equal(resolveCommand("sub/x", { path: "/bin", ...table }), "sub/x");
});

Deno.test("the current directory is searched only where PATH has an empty entry", () => {
  const table = files({ "./x": "executable" });
  assert.equal(resolveCommand("x", { path: "/bin:", ...table }), "./x");
  assert.equal(refusal("x", { path: "/bin", ...table }).exitStatus, 127);
  assert.equal(refusal("x", { path: "", ...table }).exitStatus, 127);
  assert.equal(refusal("x", { path: undefined, ...table }).exitStatus, 127);
});

Deno.test("on Windows the endings of PATHEXT are tried in order", () => {
  const table = files({ "C:\\b\\npm.CMD": "executable", "C:\\b\\npm": "executable" });
  const lookup = { windows: true, path: "C:\\a;C:\\b\\", ...table };
  assert.equal(resolveCommand("npm", lookup), "C:\\b\\npm.CMD");
  const own = { ...lookup, pathExtensions: ".PS1" };
  assert.equal(refusal("npm", own).exitStatus, 127);
});

Deno.test("on Windows a name that has its ending already is taken as it stands", () => {
  const table = files({ "C:\\b\\curl.exe": "executable", "D:\\t\\x.bat": "executable" });
  const lookup = { windows: true, path: "C:\\b", ...table };
  assert.equal(resolveCommand("curl.exe", lookup), "C:\\b\\curl.exe");
  assert.equal(resolveCommand("D:\\t\\x", { ...lookup, pathExtensions: ".bat" }), "D:\\t\\x.bat");
});

Deno.test("on Windows the current directory does not put its own program in front", () => {
  const table = files({ ".\\git.EXE": "executable", "git.EXE": "executable" });
  assert.equal(refusal("git", { windows: true, path: ";", ...table }).exitStatus, 127);
});

Deno.test({
  name: "real files are told apart: program, plain file, directory, missing, dangling link",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const directory = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${directory}/tool`, "#!/bin/sh\n", { mode: 0o755 });
      await Deno.writeTextFile(`${directory}/plain`, "text", { mode: 0o644 });
      await Deno.mkdir(`${directory}/folder`);
      await Deno.symlink(`${directory}/tool`, `${directory}/link`);
      await Deno.symlink(`${directory}/gone`, `${directory}/dangling`);
      const lookup = { path: `/nonexistent:${directory}` };
      assert.equal(resolveCommand("tool", lookup), `${directory}/tool`);
      assert.equal(resolveCommand("link", lookup), `${directory}/link`);
      assert.equal(refusal("plain", lookup).exitStatus, 126);
      assert.equal(refusal(`${directory}/folder`, lookup).exitStatus, 126);
      assert.equal(refusal("dangling", lookup).exitStatus, 127);
      assert.equal(refusal(`${directory}/tool/below`, lookup).exitStatus, 127);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
