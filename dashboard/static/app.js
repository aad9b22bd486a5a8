"use strict";
// What makes pages quicker, and nothing that they cannot do without.

// --- Live: when something happened, ask for the live part of the page again. ---
(() => {
  const APART_MS = 1000; // a page is asked for again at most this often, or less if many look
  const ANNOUNCE_MS = 2000; // minimum time between announcements to screen readers
  const POLL_MS = 5000; // how often to ask when the stream is silent
  const ANYHOW_MS = 60000; // and when all is quiet: that a scan is late, no event tells
  const SLOW_MS = 1500; // what was known is grey when the answer takes longer
  const SILENT_MS = 25000; // the stream beats every ten seconds; a proxy may keep it back
  let heard = false; // something that the page does not show yet
  let beat = 0; // when the stream last said something
  let apart = APART_MS;
  let asked = 0;
  let announcedAt = 0;
  let pressed = false;
  let focus = "";
  let slow;

  const live = () => document.getElementById("live");
  const isSelecting = () => !getSelection().isCollapsed && live().contains(getSelection().anchorNode);
  const isAway = () => document.body.classList.contains("away");
  const isStreaming = () => Date.now() - beat < SILENT_MS && !isAway();
  const isUnderWay = () => document.querySelector("form[aria-busy]") !== null;
  const isTicked = () => live().matches("[data-still]:has(input:checked)");
  // Not under a finger: the button that is pressed would be another one when it is released.
  const isInUse = () => pressed || isSelecting() || isUnderWay() || isTicked();

  const refresh = () => {
    if (!live() || !window.htmx || document.hidden || isInUse()) return;
    // Nor while an answer is on its way: it may be older than what was heard, and would take the question along.
    if (Date.now() - asked < apart || live().classList.contains("htmx-request")) return;
    asked = Date.now();
    heard = false;
    slow = setTimeout(() => document.body.classList.add("slow"), SLOW_MS);
    window.htmx.trigger(live(), "refresh");
  };
  setInterval(() => { if (heard) refresh(); }, 200);
  setInterval(() => { if (!isStreaming()) refresh(); }, POLL_MS);
  setInterval(() => { heard = true; }, ANYHOW_MS);

  const hear = (topic, data) => {
    if (topic === "cut") heard = heard || isStreaming();
    if (topic === "cut" || topic === "anew") { beat = 0; return; }
    // What was missed before the first beat is not announced again.
    heard = heard || (topic !== "beat" && isOurs(data)) || !isStreaming();
    beat = Date.now();
    // Not all of many at the same moment.
    if (topic === "beat") apart = data.apart_ms * (data.apart_ms > APART_MS ? 0.8 + 0.4 * Math.random() : 1);
    if (heard) refresh();
  };
  const isOurs = ({ instance }) => !instance || !source.dataset.instance || instance === source.dataset.instance;

  // --- Who listens: all pages of a browser share one stream, and only while someone looks at them. ---
  const source = document.getElementById("live-source");
  const alone = () => {
    let end = null;
    return (isLookedAt) => {
      if (!isLookedAt) end?.();
      end = isLookedAt ? end ?? listen(source.dataset.events, hear) : null;
    };
  };
  const together = () => {
    const worker = new SharedWorker(source.dataset.worker, { name: source.dataset.events });
    worker.port.onmessage = ({ data: [topic, data] }) => hear(topic, data);
    worker.onerror = () => { listener = alone(); look(); };
    return (isLookedAt) => worker.port.postMessage(isLookedAt);
  };
  const look = () => {
    // What happens until the next first beat is not announced: the page is then reloaded.
    if (document.hidden) beat = 0;
    listener(!document.hidden);
  };
  let listener = () => {};
  if (source) {
    // A browser may have shared workers and refuse them, such as where it must keep nothing.
    try { listener = together(); } catch { listener = alone(); }
    look();
    document.addEventListener("visibilitychange", () => { heard = true; look(); });
  }

  document.addEventListener("pointerdown", () => { pressed = true; });
  for (const name of ["pointerup", "pointercancel", "dragend"]) {
    document.addEventListener(name, () => { setTimeout(() => { pressed = false; }, 50); });
  }

  // --- Whether Paperclerk answers; what it said last stays, and is grey. ---
  const answers = (yes) => {
    const away = document.getElementById("away");
    if (!away || !live()) return;
    if (!yes) away.querySelector("time").textContent = live().dataset.at;
    away.hidden = yes;
    document.body.classList.toggle("away", !yes);
  };
  const ofLive = (action) => (event) => { if (event.detail.requestConfig.elt.id === "live") action(event.detail); };
  document.addEventListener("htmx:sendError", ofLive(() => answers(false)));
  document.addEventListener("htmx:timeout", ofLive(() => answers(false)));
  document.addEventListener("htmx:responseError", ofLive(({ xhr }) => { if (xhr.status >= 500) answers(false); }));
  document.addEventListener("htmx:afterRequest", ofLive(({ successful }) => {
    clearTimeout(slow);
    document.body.classList.remove("slow");
    if (successful) answers(true);
  }));

  // --- The part that comes is a new one: focus, what is open and what is scrolled stay as they were. ---
  const SCROLLED = ".tabs, .segments, .wide, pre";
  let opened = new Map();
  let scrolled = [];
  let ticked = new Set();
  const within = (selector) => [...live().querySelectorAll(selector)];
  const nameOf = (element) => `${element.tagName} ${element.getAttribute("href") || element.form?.action} ${element.textContent.replace(/[\d.,+]/g, "")}`;
  const summaryOf = (details) => details.querySelector("summary").textContent;
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id !== "live") return;
    // What began while the answer was on its way is not disturbed by it, either.
    if (isInUse()) { event.detail.shouldSwap = false; heard = true; }
    focus = live().contains(document.activeElement) ? nameOf(document.activeElement) : "";
    opened = new Map(within("details").map((details) => [summaryOf(details), details.open]));
    scrolled = within(SCROLLED).map((area) => [area.scrollLeft, area.scrollTop]);
    ticked = new Set(within("input[type=checkbox]:checked").map((box) => box.name + box.value));
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!live()) return;
    for (const details of within("details")) details.open = opened.get(summaryOf(details)) ?? details.open;
    for (const box of within("input[type=checkbox]")) box.checked ||= ticked.has(box.name + box.value);
    ticked.clear();
    within(SCROLLED).forEach((area, number) => { [area.scrollLeft, area.scrollTop] = scrolled[number] ?? [0, 0]; });
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (!live()) return;
    const again = within("a, button, summary, [tabindex]").find((one) => nameOf(one) === focus);
    if (again && document.activeElement === document.body) again.focus({ preventScroll: true });
    const line = document.getElementById("announcement");
    if (!line || line.textContent === live().dataset.announcement || Date.now() - announcedAt < ANNOUNCE_MS) return;
    line.textContent = live().dataset.announcement;
    announcedAt = Date.now();
  });
})();

// --- Keys: ? lists them all. ---
(() => {
  const dialog = document.getElementById("keys");
  const wordsOf = (element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("kbd").forEach((key) => key.remove());
    return element.ariaLabel || copy.textContent.trim();
  };
  const showKeys = () => {
    const list = dialog.querySelector("dl");
    list.querySelectorAll(".of-page").forEach((part) => part.remove());
    for (const element of document.querySelectorAll("[data-key]:not([data-key='/'])")) {
      const name = Object.assign(document.createElement("dt"), { className: "of-page" });
      name.append(Object.assign(document.createElement("kbd"), { textContent: element.dataset.key }));
      list.append(name, Object.assign(document.createElement("dd"), { className: "of-page", textContent: wordsOf(element) }));
    }
    dialog.showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || dialog?.open) return;
    const isTyping = event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
    if (isTyping && event.key === "Escape") event.target.blur();
    if (isTyping) return;
    if (event.key === "?" && dialog) { event.preventDefault(); showKeys(); return; }
    const wanted = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!wanted) return;
    event.preventDefault();
    // A list has a search of its own.
    const ofPage = event.key === "/" && document.querySelector("main input[type=search]");
    const field = ofPage || (wanted.dataset.focus && document.querySelector(wanted.dataset.focus));
    // On a narrow screen the search field is on a page of its own.
    if (field?.checkVisibility()) field.focus();
    else if (!wanted.dataset.focus || wanted.matches("a[href]")) wanted.click();
  });
  dialog?.querySelector("[data-close]").addEventListener("click", () => dialog.close());
})();

// --- Messages: closed by hand, or after a while unless they are about a problem or being read. ---
(() => {
  const TOAST_MS = 12000;
  const toast = document.querySelector("main > .toast");
  if (!toast) return;
  toast.querySelector(".close").addEventListener("click", (event) => { event.preventDefault(); toast.hidden = true; });
  const isRead = () => toast.matches(":hover, :focus-within");
  if (toast.classList.contains("flash")) setInterval(() => { if (!isRead()) toast.hidden = true; }, TOAST_MS);
})();

// --- Menus close when one looks elsewhere. ---
(() => {
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    document.activeElement?.closest("details.menu[open]")?.querySelector("summary").focus();
    closeMenus(null);
  });
})();

// --- Tick all that may be ticked. ---
document.addEventListener("change", (event) => {
  const all = event.target.closest("[data-ticks]");
  if (!all) return;
  for (const box of document.querySelectorAll(all.dataset.ticks)) box.checked = all.checked;
});

// --- Copy a text. Without HTTPS the browser has no clipboard: then the text is selected, and copied the old way. ---
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  getSelection().selectAllChildren(source);
  if (navigator.clipboard) await navigator.clipboard.writeText(source.textContent);
  else document.execCommand("copy");
  button.querySelector("span").textContent = button.dataset.done;
});

// --- A choice that is a filter by itself. ---
document.addEventListener("change", ({ target }) => { if (target.matches("select[data-submit]")) target.form.requestSubmit(); });

// --- How many are ticked, where that is said. ---
(() => {
  const count = () => {
    for (const line of document.querySelectorAll("[data-count]")) {
      const number = document.querySelectorAll(line.dataset.count).length;
      line.dataset.before ??= line.textContent;
      line.textContent = number ? line.dataset.words.replace("{n}", number) : line.dataset.before;
    }
  };
  document.addEventListener("change", count);
  document.addEventListener("htmx:afterSettle", count);
  window.addEventListener("pageshow", count);
})();

// --- Under way: a form that was sent rests, and its button shows that it works; a page that is long in coming, too. ---
(() => {
  const GIVEN_UP_MS = 60000; // so long a proxy waits for an answer
  const root = document.documentElement;
  let timer;
  const rest = () => {
    clearTimeout(timer);
    root.classList.remove("going");
    for (const form of document.querySelectorAll("form[aria-busy]")) {
      form.removeAttribute("aria-busy");
      for (const button of form.querySelectorAll("button")) { button.disabled = false; button.removeAttribute("aria-busy"); }
    }
  };
  const go = () => {
    root.classList.add("going");
    clearTimeout(timer);
    timer = setTimeout(rest, GIVEN_UP_MS);
  };
  document.addEventListener("submit", ({ target: form, submitter }) => {
    form.setAttribute("aria-busy", "true");
    go();
    // When the browser has read the form: what is disabled is not sent.
    setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
      submitter?.setAttribute("aria-busy", "true");
      if (submitter?.dataset.busy) document.getElementById("busy").textContent = submitter.dataset.busy;
    });
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    const leads = link && link.origin === location.origin && !link.target && !link.hasAttribute("download") && !link.hash;
    if (leads && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey) go();
  });
  // A page that one comes back to is as it was left.
  window.addEventListener("pageshow", rest);

  // --- A part that is loaded later. ---
  const lazy = (action) => ({ detail: { elt } }) => { if (elt.matches("[hx-trigger=load]")) action(elt); };
  document.addEventListener("htmx:beforeRequest", lazy((part) => part.setAttribute("aria-busy", "true")));
  document.addEventListener("htmx:afterRequest", lazy((part) => part.removeAttribute("aria-busy")));
})();
