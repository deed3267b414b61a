// The traffic page while it is open. Rows come in batches; the table is drawn once a frame, never has
// more than a few hundred rows, and only the new ones are made. Everything a row says is set as text.
import {
  barsPath,
  createFilter,
  formatBytes,
  formatCount,
  formatLatency,
  isFailure,
  linePath,
  outcomeOf,
  Tally,
} from "./traffic_view.js";

/** Rows in the table. */
const SHOWN_LIMIT = 500;

/** Rows kept for the filter to choose from. */
const KEPT_LIMIT = 5000;

/** The box of every plot. */
const BOX = { width: 240, height: 48 };

const page = document.documentElement;
const body = document.querySelector("#requests tbody");
const filterForm = document.querySelector("#filter");
const status = document.querySelector("#stream-status");
const pauseButton = document.querySelector("#pause");

/** Newest last. */
let kept = [];
/** Rows of `kept` that are not in the table yet. */
let waiting = [];
let filter = createFilter({});
let paused = false;
let drawPlanned = false;
let dropped = 0;
const all = new Tally();
const byService = new Map();

function start() {
  filterForm.hidden = false;
  filterForm.addEventListener("input", applyFilter);
  filterForm.addEventListener("submit", (event) => event.preventDefault());
  pauseButton.addEventListener("click", togglePause);
  document.addEventListener("submit", sendSwitch);
  document.querySelector("#vault")?.addEventListener(
    "change",
    ({ target }) => target.form.submit(),
  );
  setInterval(plan, 1000);
  listen();
}

function listen() {
  const source = new EventSource(page.getAttribute("data-stream"));
  source.addEventListener("open", () => {
    tell("on", "Live");
    // What changed before the connection, or while there was none, was not told.
    void refreshState();
  });
  source.addEventListener("rows", ({ data }) => take(JSON.parse(data)));
  source.addEventListener("changed", () => void refreshState());
  source.addEventListener("signed_out", () => {
    source.close();
    tell("off", "Signed out. Reload to sign in again.");
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) {
      tell("off", "The broker ended, or you are signed out. Reload to try again.");
    } else tell("waiting", "Connecting again …");
  });
}

function tell(state, text) {
  status.dataset.state = state;
  status.textContent = text;
}

function take({ rows, dropped: lost, first }) {
  // What the page came with is shown anew from the rows themselves.
  if (first && kept.length === 0) body.replaceChildren();
  for (const row of rows) {
    all.add(row);
    const service = row.matched_service ?? "-";
    if (!byService.has(service)) byService.set(service, new Tally());
    byService.get(service).add(row);
    kept.push(row);
    waiting.push(row);
  }
  if (kept.length > KEPT_LIMIT) kept = kept.slice(-KEPT_LIMIT);
  if (waiting.length > KEPT_LIMIT) waiting = waiting.slice(-KEPT_LIMIT);
  if (lost > 0) {
    dropped += lost;
    const notice = document.querySelector("#dropped");
    notice.hidden = false;
    notice.textContent =
      `${formatCount(dropped)} rows are not shown: they came faster than the log ` +
      "could take them.";
  }
  plan();
}

function plan() {
  if (drawPlanned) return;
  drawPlanned = true;
  requestAnimationFrame(() => {
    drawPlanned = false;
    draw();
  });
}

function draw() {
  drawPlots();
  if (paused) return void (pauseButton.textContent = `Resume (${formatCount(waiting.length)} new)`);
  const fresh = waiting.filter(filter).slice(-SHOWN_LIMIT);
  waiting = [];
  if (fresh.length === 0) return;
  const made = document.createDocumentFragment();
  for (const row of fresh.reverse()) made.append(makeRow(row));
  body.prepend(made);
  while (body.rows.length > SHOWN_LIMIT) body.lastElementChild.remove();
  showEmptiness();
}

/** Makes the whole table anew, after another filter was chosen. */
function redraw() {
  waiting = [];
  body.replaceChildren(...kept.filter(filter).slice(-SHOWN_LIMIT).reverse().map(makeRow));
  showEmptiness();
}

function showEmptiness() {
  const notice = document.querySelector("#no-rows");
  notice.hidden = body.rows.length > 0;
  notice.textContent = kept.length === 0
    ? "No request yet. It appears here when a program that the broker started makes one."
    : "No request fits the filter.";
}

function makeRow(row) {
  const line = document.createElement("tr");
  line.className = isFailure(row) ? "failed" : "";
  const time = new Date(row.created_at);
  const service = row.matched_service ?? (row.ingress === "tunnel" ? "not opened" : "–");
  line.append(
    cell("time", time.toLocaleTimeString("en-GB"), time.toISOString()),
    cell(
      "status",
      row.error_code ?? (row.status === 0 ? "left" : String(row.status)),
      outcomeOf(row),
    ),
    cell("method", row.method),
    cell("url", row.host + row.path, row.host + row.path),
    cell("service", service),
    cell("latency", formatLatency(row.latency_ms)),
    cell("size", formatBytes(row.response_bytes)),
    cell("actor", row.actor_name ?? "–"),
  );
  return line;
}

function cell(name, text, title) {
  const made = document.createElement("td");
  made.className = name;
  made.textContent = text;
  if (title !== undefined) made.title = title;
  return made;
}

function drawPlots() {
  const now = Date.now() / 1000;
  drawPlot("all", all, now);
  const { failures, latencies } = all.series(now);
  setPath("failed", "failures", barsPath(failures, { ...BOX, max: Math.max(...failures) }));
  const slowest = Math.max(0, ...latencies.filter((value) => value !== undefined));
  setPath("latency", "line", linePath(latencies, { ...BOX, max: slowest }));
  const { count, failed, latency } = all.sums(now);
  setText("total", formatCount(count));
  setText("failed", formatCount(failed));
  setText("latency", formatLatency(latency));
  const busiest = [...byService.values()].map((tally) => Math.max(...tally.series(now).counts));
  for (const [service, tally] of byService) {
    drawPlot(`service:${service}`, tally, now, Math.max(...busiest));
    setText(`service:${service}`, serviceText(tally.sums(now)));
  }
}

function serviceText({ count, failed, latency }) {
  if (count === 0) return "no request";
  const failures = failed === 0 ? "" : `, ${formatCount(failed)} failed`;
  return `${formatCount(count)} ${count === 1 ? "request" : "requests"}${failures}, ` +
    formatLatency(latency);
}

function drawPlot(name, tally, now, most) {
  const { counts, failures } = tally.series(now);
  const max = most ?? Math.max(...counts);
  setPath(name, "bars", barsPath(counts, { ...BOX, max }));
  setPath(name, "failures", barsPath(failures, { ...BOX, max }));
}

function setPath(plot, kind, d) {
  document.querySelector(`[data-plot="${CSS.escape(plot)}"] .${kind}`)?.setAttribute("d", d);
}

function setText(name, text) {
  const element = document.querySelector(`[data-count="${CSS.escape(name)}"]`);
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function applyFilter() {
  filter = createFilter(Object.fromEntries(new FormData(filterForm)));
  redraw();
}

function togglePause() {
  paused = !paused;
  pauseButton.setAttribute("aria-pressed", String(paused));
  if (!paused) pauseButton.textContent = "Pause";
  plan();
}

/** Switches a service without leaving the page; the change comes back over the stream. */
async function sendSwitch(event) {
  const form = event.target;
  if (!form.matches(".switch")) return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.action, { method: "POST", body });
    if (!answer.ok) throw new Error(`${answer.status}`);
    await refreshState();
  } catch {
    // Sent again as a page of its own, whose answer says what is wrong.
    form.submit();
  }
}

/** Takes services and proposals over from a new copy of this page. */
async function refreshState() {
  const answer = await fetch(location.href).catch(() => undefined);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["pending", "state", "filter-service"]) {
    const old = document.getElementById(id);
    const made = fresh.getElementById(id);
    if (old === null || made === null || old.innerHTML === made.innerHTML) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const value = old.value;
    old.replaceWith(made);
    if (value !== undefined) made.value = value;
    if (focused !== "") document.getElementById(focused)?.focus();
  }
  plan();
}

start();
