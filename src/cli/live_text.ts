import {
  createPrompt,
  isBackspaceKey,
  isEnterKey,
  isTabKey,
  makeTheme,
  useKeypress,
  usePrefix,
  useState,
} from "@inquirer/core";
import { styleText } from "node:util";

/** What {@link liveText} asks for. */
export interface LiveText {
  readonly message: string;
  /** Taken by Return on an empty line; Tab puts it on the line to be edited, Backspace drops it. */
  readonly suggestion?: string;
  /** What is wrong with the text, told while it is typed; Return is taken only when nothing is. */
  readonly check?: (text: string) => string | undefined;
  /** What the text would do, shown below it while nothing is wrong. */
  readonly preview?: (text: string) => string;
}

/** A line of text that is checked with every key, unlike the library's own, which waits for Return. */
export const liveText = createPrompt<string, LiveText>((config, done) => {
  const theme = makeTheme({});
  const [isDone, setDone] = useState(false);
  const [wasRefused, setRefused] = useState(false);
  const [suggestion, setSuggestion] = useState(config.suggestion ?? "");
  const [line, setLine] = useState("");
  const prefix = usePrefix({ status: isDone ? "done" : "idle", theme });
  const answer = line === "" ? suggestion : line;
  const fault = config.check?.(answer);

  useKeypress((key, readline) => {
    if (isDone) return;
    if (isEnterKey(key)) {
      if (fault === undefined) {
        setDone(true);
        done(answer);
        return;
      }
      // Return emptied the line; what was typed is to be mended, not typed again.
      readline.write(line);
      setRefused(true);
    } else if (line === "" && isBackspaceKey(key)) {
      setSuggestion("");
    } else if (line === "" && suggestion !== "" && isTabKey(key)) {
      readline.clearLine(0);
      readline.write(suggestion);
      setLine(suggestion);
    } else {
      setLine(readline.line);
      setRefused(false);
    }
  });

  const message = theme.style.message(config.message, isDone ? "done" : "idle");
  if (isDone) return `${prefix} ${message} ${theme.style.answer(answer)}`;
  const hint = line === "" && suggestion !== "" ? ` ${styleText("dim", `(${suggestion})`)}` : "";
  const shown = `${prefix} ${message}${hint} ${line}`;
  // An empty line is not wrong yet: nobody has typed anything.
  if (fault !== undefined && (answer !== "" || wasRefused)) {
    return [shown, wasRefused ? theme.style.error(fault) : styleText("yellow", fault)];
  }
  const preview = fault === undefined ? config.preview?.(answer) ?? "" : "";
  return [shown, preview === "" ? "" : styleText("dim", preview)];
});
