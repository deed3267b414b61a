// Finds the way back to a browser's own pages: their path is unguessable and so can be in no link that
// the broker hands out. The page remembers it for this origin, port included, and a link or address
// that is opened later leads there while the sign-in still holds.
const REMEMBERED = "broker.operator_path";

/** @param {Storage} storage @param {Element} page */
function remember(storage, page) {
  const path = page.getAttribute("data-operator-path");
  if (path !== null) storage.setItem(REMEMBERED, path);
  if (page.hasAttribute("data-signed-out")) storage.removeItem(REMEMBERED);
}

/** @param {Storage} storage @param {Element} page */
async function goBack(storage, page) {
  const target = page.getAttribute("data-forward");
  const path = storage.getItem(REMEMBERED);
  if (target === null || path === null) return;
  // Other scripts cannot write here, but a path that is none must not become a way out of this origin.
  if (!/^\/op\/[\w-]{22}$/.test(path)) return storage.removeItem(REMEMBERED);
  const answer = await fetch(`${path}/session`, { redirect: "error" });
  if (answer.status === 204) location.replace(path + target);
  else if (answer.status === 401) storage.removeItem(REMEMBERED);
}

try {
  remember(localStorage, document.documentElement);
  await goBack(localStorage, document.documentElement);
} catch {
  // Without storage or without an answer the person signs in again.
}
