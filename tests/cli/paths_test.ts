import assert from "node:assert/strict";
import { BrokerError } from "../../src/errors.ts";
import { homeDirectory, type PathInput } from "../../src/cli/paths.ts";

const CASES: readonly (PathInput & { readonly expect: string })[] = [
  { os: "linux", cwd: "/w", env: { HOME: "/home/a" }, expect: "/home/a/.local/share/broker" },
  {
    os: "linux",
    cwd: "/w",
    env: { HOME: "/home/a", XDG_DATA_HOME: "/data" },
    expect: "/data/broker",
  },
  {
    os: "linux",
    cwd: "/w",
    env: { HOME: "/home/a", XDG_DATA_HOME: "data" },
    expect: "/home/a/.local/share/broker",
  },
  {
    os: "linux",
    cwd: "/w",
    env: { HOME: "/home/a", XDG_DATA_HOME: "", BROKER_HOME: "" },
    expect: "/home/a/.local/share/broker",
  },
  {
    os: "linux",
    cwd: "/w",
    env: { HOME: "/home/a", BROKER_HOME: "/srv/b", XDG_DATA_HOME: "/data" },
    expect: "/srv/b",
  },
  { os: "linux", cwd: "/w", env: { BROKER_HOME: "own/../b" }, expect: "/w/b" },
  { os: "freebsd", cwd: "/w", env: { HOME: "/home/a" }, expect: "/home/a/.local/share/broker" },
  {
    os: "darwin",
    cwd: "/w",
    env: { HOME: "/Users/a", XDG_DATA_HOME: "/data" },
    expect: "/Users/a/Library/Application Support/broker",
  },
  {
    os: "windows",
    cwd: "C:\\w",
    env: { LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local" },
    expect: "C:\\Users\\a\\AppData\\Local\\broker",
  },
  {
    os: "windows",
    cwd: "C:\\w",
    env: { USERPROFILE: "C:\\Users\\a" },
    expect: "C:\\Users\\a\\AppData\\Local\\broker",
  },
  { os: "windows", cwd: "C:\\w", env: { BROKER_HOME: "b" }, expect: "C:\\w\\b" },
  { os: "windows", cwd: "C:\\w", env: { BROKER_HOME: "D:/keys" }, expect: "D:\\keys" },
];

for (const { expect, ...input } of CASES) {
  Deno.test(`homeDirectory() is ${expect} on ${input.os} with ${JSON.stringify(input.env)}`, () => {
    assert.equal(homeDirectory(input), expect);
  });
}

for (const os of ["linux", "darwin", "windows"] as const) {
  Deno.test(`homeDirectory() asks for BROKER_HOME on ${os} when no variable names a place`, () => {
    assert.throws(
      () => homeDirectory({ os, cwd: "/", env: {} }),
      (error) =>
        error instanceof BrokerError && error.code === "home_unusable" &&
        error.hint?.includes("BROKER_HOME") === true,
    );
  });
}
