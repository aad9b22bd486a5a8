"use strict";
// What makes pages quicker, and nothing that they cannot do without.

// --- Live: when something happened, ask for the live part of the page again. ---
(() => {
  const QUIET_MS = 2000; // screen readers are told at most this often
  const POLL_MS = 5000; // how often to ask when the stream is down
  let heard = false;
  let streaming = false;

  const refresh = () => {
    const live = document.getElementById("live");
    const busy = live && live.contains(document.activeElement) && document.activeElement !== live;
    if (live && !document.hidden && !busy && window.htmx) window.htmx.trigger(live, "refresh");
    return live && !busy;
  };

  setInterval(() => { if (heard && refresh()) heard = false; }, QUIET_MS);
  setInterval(() => { if (!streaming) refresh(); }, POLL_MS);

  document.addEventListener("htmx:sseOpen", () => { streaming = true; });
  document.addEventListener("htmx:sseError", () => { streaming = false; });
  document.addEventListener("htmx:sseBeforeMessage", (event) => { event.preventDefault(); heard = true; });
})();

// --- Keys: what a letter presses is written next to it. ---
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!wanted) return;
  event.preventDefault();
  if (wanted.dataset.focus) document.querySelector(wanted.dataset.focus)?.focus();
  else wanted.click();
});

// --- A name of yours in the place of a new one; without this the link loads the page with it. ---
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-fill]");
  const field = link && document.getElementsByName(link.dataset.into)[0];
  if (!field || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  field.value = link.dataset.fill;
  field.focus();
});

// --- Tick all that may be ticked. ---
document.addEventListener("change", (event) => {
  const all = event.target.closest("[data-ticks]");
  if (!all) return;
  for (const one of document.querySelectorAll(all.dataset.ticks)) one.checked = all.checked;
});
