"use strict";
// Review: jumps between fields and their evidence, tags as chips, completion of names, selection in the list.

// --- The browser says whether it can show a PDF in a frame. ---
if (navigator.pdfViewerEnabled === false) document.documentElement.classList.add("no-pdf");

// --- From a field to its mark in the text, and back. ---
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href*='#mark-'], a[href^='#field-']");
  const target = link && !event.ctrlKey && !event.metaKey && document.getElementById(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  const isMark = link.hash.startsWith("#mark-");
  const text = document.getElementById("view-text");
  if (isMark && text) text.checked = true;
  for (const other of document.querySelectorAll(".at")) other.classList.remove("at");
  target.classList.add("at");
  if (isMark) {
    // Only the text scrolls: the field that was clicked stays where it is.
    const box = target.closest(".text-view");
    const isScrolled = box && box.scrollHeight > box.clientHeight;
    if (isScrolled) box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    else target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  } else {
    target.scrollIntoView({ block: "center" });
    (target.querySelector(".chips input, input:not([type=hidden], [type=checkbox], [hidden])") || target).focus({ preventScroll: true });
  }
});

// --- Completion: the page has the names that are used most, the server knows all. ---
(() => {
  const WAIT_MS = 150;
  const source = document.querySelector("[data-completion]");
  if (!source) return;
  let timer;

  const complete = async (input) => {
    const list = document.getElementById(input.getAttribute("list"));
    const word = input.value.trim();
    if (!list || !word) { note(input, true); return; }
    const address = new URL(source.dataset.completion, location.href);
    address.searchParams.set("field", input.dataset.field);
    address.searchParams.set("q", word);
    const answer = await fetch(address, { headers: { accept: "application/json" } }).catch(() => null);
    if (!answer?.ok || input.value.trim() !== word) return;
    const { names, exists } = await answer.json();
    list.replaceChildren(...names.map((value) => Object.assign(document.createElement("option"), { value })));
    note(input, exists);
  };
  // Whether accepting creates a name is said while it is typed.
  const note = (input, exists) => {
    const hint = input.closest(".field")?.querySelector(".new-name-typed");
    if (hint) hint.hidden = exists;
  };
  document.addEventListener("input", ({ target }) => {
    if (!target.matches("[data-field][list]")) return;
    clearTimeout(timer);
    timer = setTimeout(() => complete(target), WAIT_MS);
  });
})();

// --- Tags as chips: the input that is sent stays, and is hidden. ---
for (const input of document.querySelectorAll("input[data-chips]")) {
  const box = Object.assign(document.createElement("div"), { className: "chips" });
  const typing = Object.assign(document.createElement("input"), { autocomplete: "off" });
  typing.setAttribute("aria-label", input.dataset.chips);
  typing.setAttribute("list", input.getAttribute("list"));
  typing.setAttribute("placeholder", input.dataset.placeholder);
  typing.dataset.field = "tags";
  const read = () => input.value.split(",").map((name) => name.trim()).filter(Boolean);
  const isListed = (name) => [...(document.getElementById(typing.getAttribute("list"))?.options ?? [])].some(({ value }) => value === name);
  const write = (names) => { input.value = [...new Set(names)].join(", "); draw(); };
  const add = () => {
    if (typing.value.trim()) write([...read(), ...typing.value.split(",").map((name) => name.trim()).filter(Boolean)]);
    typing.value = "";
  };
  const chip = (name, number) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "chip" });
    button.setAttribute("aria-label", input.dataset.remove.replace("{name}", name));
    button.append(name, Object.assign(document.createElement("span"), { textContent: " ×", ariaHidden: "true" }));
    button.addEventListener("click", () => { write(read().filter((_, other) => other !== number)); typing.focus(); });
    return button;
  };
  const draw = () => box.replaceChildren(...read().map(chip), typing);
  typing.addEventListener("keydown", (event) => {
    if (event.key === "," || (event.key === "Enter" && typing.value.trim())) { event.preventDefault(); add(); typing.focus(); }
    if (event.key === "Backspace" && !typing.value) { write(read().slice(0, -1)); typing.focus(); }
  });
  // A name that was picked from the list is whole.
  typing.addEventListener("input", (event) => { if (!event.inputType || event.inputType === "insertReplacementText") if (isListed(typing.value)) { add(); typing.focus(); } });
  typing.addEventListener("change", add);
  input.addEventListener("filled", draw);
  input.hidden = true;
  input.after(box);
  if (input.id) { typing.id = input.id; input.removeAttribute("id"); }
  draw();
}

// --- A value that a person typed: evidence, confidence and checks are those of the suggestion. ---
(() => {
  const same = (first, second) => first.trim() === second.trim();
  const show = (input) => {
    const field = input.closest(".field");
    const own = field?.querySelector(".own-value");
    if (!own) return;
    own.hidden = same(input.value, input.dataset.suggested);
    field.querySelector(".of-suggestion").hidden = !own.hidden;
  };
  for (const input of document.querySelectorAll("input[data-suggested]")) {
    for (const event of ["input", "change", "filled"]) input.addEventListener(event, () => show(input));
    // The browser may have kept what was typed before the page was reloaded.
    show(input);
  }
})();

// --- An alternative in the place of what is suggested; without this the link loads the page with it. ---
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-fill]");
  const field = link && document.getElementsByName(link.dataset.into)[0];
  if (!field || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  field.value = "add" in link.dataset ? [...new Set([...field.value.split(",").map((name) => name.trim()).filter(Boolean), link.dataset.add])].join(", ") : link.dataset.fill;
  field.dispatchEvent(new Event("filled"));
  if (!field.hidden) field.focus();
  const hint = field.closest(".field")?.querySelector(".new-name-typed");
  if (hint) hint.hidden = true;
});

// --- The list: how many are selected, and all that may be. ---
(() => {
  // The list is reloaded: what is there is looked for each time.
  const SELECTION = "form[data-selection]";
  const all = (selector) => [...document.querySelectorAll(`${SELECTION} ${selector}`)];
  const boxes = () => all("input[name=document]");
  const count = () => {
    const selected = boxes().filter((box) => box.checked).length;
    document.querySelector(SELECTION)?.classList.toggle("has-selection", selected > 0);
    for (const words of all("[data-several]")) {
      words.textContent = (selected === 1 ? words.dataset.one : words.dataset.several).replace("{n}", selected);
    }
    const clear = boxes().filter((box) => box.dataset.clear !== undefined);
    for (const box of all("[data-select-all]")) box.checked = clear.length > 0 && clear.every((each) => each.checked);
  };
  document.addEventListener("change", ({ target }) => {
    if (!target.closest(SELECTION)) return;
    if (target.matches("[data-select-all]")) for (const box of boxes()) if (box.dataset.clear !== undefined) box.checked = target.checked;
    count();
  });
  // By keyboard: j and k walk, x selects, Enter opens.
  let at = -1;
  document.addEventListener("keydown", (event) => {
    const step = { j: 1, k: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
    const rows = all(".waiting");
    if (step && rows.length) {
      event.preventDefault();
      at = Math.min(rows.length - 1, Math.max(0, at + step));
      rows[at].querySelector("a.doc").focus();
      rows[at].scrollIntoView({ block: "nearest" });
    } else if (event.key === "x" && rows[at]) {
      event.preventDefault();
      rows[at].querySelector("input[name=document]").click();
    }
  });
  window.addEventListener("pageshow", count);
  document.addEventListener("htmx:afterSwap", count);
  count();
})();
