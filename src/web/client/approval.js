// Says on an open page that what it shows is no longer what approving would do. The form itself needs
// none of this: it carries the digest of what was shown.
const page = document.documentElement;

const source = new EventSource(page.getAttribute("data-stream"));
source.addEventListener("changed", () => void look());
// What changed before the connection, or while there was none, was not told.
source.addEventListener("open", () => void look());
source.addEventListener("signed_out", () => {
  source.close();
  tell("You are signed out. Sign in again before you decide.");
});

async function look() {
  const answer = await fetch(location.href).catch(() => undefined);
  if (answer === undefined || answer.status === 401) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const digest = digestOf(fresh);
  if (digest === undefined) {
    source.close();
    tell("This was decided in another window or terminal, or can no longer be approved.");
  } else if (digest !== digestOf(document)) {
    tell(
      "The vault changed since this page came. Approve shows you what would happen now, and keeps " +
        "what you typed, before anything is applied.",
    );
  }
  const others = fresh.getElementById("others-list");
  if (others !== null) document.getElementById("others-list")?.replaceWith(others);
}

function digestOf(root) {
  return root.querySelector("input[name=digest]")?.value;
}

function tell(text) {
  const notice = document.getElementById("stale");
  notice.textContent = text;
  notice.hidden = false;
}
