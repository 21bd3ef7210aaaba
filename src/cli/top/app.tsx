import { useEffect, useRef, useState } from "react";
import { Box, render, Text, useApp, useInput, useStdout, type Key } from "ink";
import type { EngineGroup, Over } from "../../core/query/index.js";
import { errorText, oneLine } from "../../core/text/index.js";
import type { EngineRow, Seen, TopSession } from "./session.js";
import { engineLines, engineName, findingsSeen, fleetLines, headLine, type FindingSeen } from "./text.js";

/** Shows the servers in the terminal until the user leaves. Puts the terminal back as it was. */
export async function showTop(session: TopSession, signal: AbortSignal): Promise<void> {
  process.stdout.write(ENTER_SCREEN);
  try {
    const app = render(<Top session={session} />, { exitOnCtrlC: true, patchConsole: false });
    signal.addEventListener("abort", () => app.unmount(), { once: true });
    await app.waitUntilExit();
  } finally {
    process.stdout.write(LEAVE_SCREEN);
  }
}

/** The terminal's second screen, which leaves what was printed before as it was. */
const ENTER_SCREEN = "\u001b[?1049h\u001b[H";
const LEAVE_SCREEN = "\u001b[?1049l";

type View = { readonly kind: "fleet" | "engine" } | { readonly kind: "findings"; readonly from: number };
const FLEET: View = { kind: "fleet" };

const KEYS: Readonly<Record<View["kind"], string>> = {
  fleet: "↑↓ choose · Enter open · w so far/now · f findings · m mark · k keep · q quit",
  engine: "Esc back · ↑↓ next · f findings · m mark · k keep · q quit",
  findings: "Esc back · ↑↓ scroll · m mark · k keep · q quit",
};

function Top({ session }: { readonly session: TopSession }) {
  const [now, setNow] = useState(session.seen);
  const [view, setView] = useState(FLEET);
  const [chosen, setChosen] = useState<string>();
  const [over, setOver] = useState<Over>("now");
  /** The label of a mark so far; undefined while none is typed. Keys may come faster than the screen is drawn. */
  const typed = useRef<string>(undefined);
  const [label, setLabel] = useState<string>();
  const setTyped = (text: string | undefined) => setLabel((typed.current = text));
  const [message, setMessage] = useState("");
  const { exit } = useApp();
  const { columns, rows: height } = useSize();
  useEffect(() => {
    session.onChange = () => setNow(session.seen);
    // The clock goes on while a large fleet is read.
    const timer = setInterval(session.onChange, 1000);
    return () => {
      clearInterval(timer);
      session.onChange = () => undefined;
    };
  }, [session]);

  const { rows } = now;
  const names = rows.map(engineName);
  const at = Math.max(0, names.indexOf(chosen ?? ""));
  const findings = findingsSeen(now);
  const tell = (work: Promise<string>) => {
    work.then(setMessage, (error: unknown) => setMessage(errorText(error)));
  };
  const move = (by: number) => {
    if (view.kind === "findings")
      return setView({ ...view, from: Math.max(0, Math.min(findings.length - 1, view.from + by)) });
    setChosen((before = "") => {
      const from = Math.max(0, names.indexOf(before));
      return names[from + by] ?? names[from];
    });
  };
  const type = (input: string, key: Partial<Key>) => {
    const text = typed.current ?? "";
    const isEnd = key.return === true || input === "\r";
    if (key.escape === true || isEnd) setTyped(undefined);
    else setTyped(key.backspace === true || key.delete === true ? text.slice(0, -1) : text + oneLine(input));
    if (isEnd && text.trim() !== "") tell(session.mark(text.trim()).then(() => `marked: ${text.trim()}`));
  };
  const press = (input: string, key: Partial<Key>) => {
    if (typed.current !== undefined) return type(input, key);
    setMessage("");
    if (key.upArrow === true) move(-1);
    else if (key.downArrow === true) move(1);
    else if (key.return === true) setView({ kind: "engine" });
    else if (key.escape === true || key.backspace === true) setView(FLEET);
    else if (input === "f") setView(view.kind === "findings" ? FLEET : { kind: "findings", from: 0 });
    else if (input === "w") setOver(over === "now" ? "whole" : "now");
    else if (input === "m") setTyped("");
    else if (input === "k") {
      setMessage("writing what was seen…");
      tell(session.keep().then((folder) => `kept in ${folder}`));
    } else if (input === "q") exit();
  };
  useInput((input, key) => {
    // What is typed fast comes together.
    if (input.length < 2) press(input, key);
    else for (const character of input) press(character, {});
  });

  // The last line of a terminal stays empty: a screen that fills it scrolls.
  const room = height - 1;
  const row = view.kind === "engine" || rows.length === 1 ? rows[at] : undefined;
  return (
    <Box flexDirection="column" width={columns} height={room} overflow="hidden">
      <Text wrap="truncate" bold>
        {headLine(now)}
      </Text>
      {view.kind === "findings" ? (
        <Findings now={now} findings={findings.slice(view.from)} />
      ) : (
        <Figures now={now} row={row} at={at} over={over} columns={columns} room={room - 3} session={session} />
      )}
      <Text wrap="truncate" dimColor={label === undefined && message === ""}>
        {label !== undefined
          ? `mark: ${label}▏ Enter sets it, Esc leaves`
          : oneLine(message) || KEYS[row === undefined || view.kind === "findings" ? view.kind : "engine"]}
      </Text>
    </Box>
  );
}

/** The engines, or the figures of one of them, and below them what was found, a line each. */
function Figures(props: {
  readonly now: Seen;
  readonly row: EngineRow | undefined;
  readonly at: number;
  readonly over: Over;
  readonly columns: number;
  readonly room: number;
  readonly session: TopSession;
}) {
  const { now, row, at, over, columns, room, session } = props;
  const [head = "", ...lines] =
    row === undefined ? fleetLines(now.rows, now.endpoints, over, columns) : engineLines(row, columns);
  const findings = findingsSeen(now).slice(0, Math.max(1, Math.floor(room / 3)));
  const title = row === undefined ? [] : [oneLine(engineName(row))];
  const visible = around(lines, row === undefined ? at : 0, room - title.length - Math.max(1, findings.length));
  const shown = row === undefined ? now.rows.slice(visible.from, visible.from + visible.lines.length) : [row];
  const names = shown.map(engineName).join("\n");
  const isOne = row !== undefined;
  useEffect(() => {
    const all = new Set(names.split("\n"));
    const isShown = (engine: EngineGroup) => all.has(engineName(engine));
    // Before there is an engine, all that come are read.
    if (names !== "") session.lookAt({ isShown, over: isOne ? "both" : over });
  }, [names, isOne, over, session]);
  return (
    <>
      {title.map((name) => (
        <Text key="title" wrap="truncate" color="cyan">
          {name}
        </Text>
      ))}
      <Text wrap="truncate" dimColor>
        {now.rows.length === 0 ? "Waiting for the first metrics…" : head}
      </Text>
      {visible.lines.map((line, i) => (
        <Text key={i} wrap="truncate" inverse={row === undefined && visible.from + i === at}>
          {line}
        </Text>
      ))}
      <Box flexGrow={1} />
      {findings.map(({ title, text, color }, i) => (
        <Text key={i} wrap="truncate" color={color}>
          {`${title}: ${text}`}
        </Text>
      ))}
      {findings.length === 0 && <NoFindings now={now} />}
    </>
  );
}

function Findings({ now, findings }: { readonly now: Seen; readonly findings: readonly FindingSeen[] }) {
  return (
    <Box flexDirection="column" flexGrow={1} overflow="hidden">
      {findings.map(({ title, text, advice, color }, i) => (
        <Box key={i} flexDirection="column" flexShrink={0} marginTop={1}>
          <Text bold color={color}>
            {title}
          </Text>
          <Text>{text}</Text>
          {advice !== "" && <Text dimColor>{advice}</Text>}
        </Box>
      ))}
      {findings.length === 0 && <NoFindings now={now} />}
    </Box>
  );
}

/** Before metrics came and were looked at, nothing is known. */
function NoFindings({ now: { rows, insights } }: { readonly now: Seen }) {
  const looked = rows.length > 0 && insights !== undefined;
  return (
    <Text dimColor>
      {looked ? "Nothing stands out so far." : "Findings follow a few seconds after the first metrics."}
    </Text>
  );
}

/** The lines around a chosen one that there is room for. */
function around(lines: readonly string[], chosen: number, room: number) {
  const most = Math.max(1, room);
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), lines.length - most));
  return { from, lines: lines.slice(from, from + most) };
}

function useSize() {
  const { stdout } = useStdout();
  const read = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const changed = () => setSize(read());
    stdout.on("resize", changed);
    return () => void stdout.off("resize", changed);
  }, [stdout]);
  return size;
}
