"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const root = document.documentElement;

  for (const element of all(".script")) element.hidden = false;

  // Colours: those of the system, or the reader's choice, which is stored if the browser allows it.
  const choices = all("[data-theme-choice]");
  const paint = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    for (const button of choices) button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  };
  const remembered = (theme) => {
    try {
      if (theme === undefined) return localStorage.getItem("conformance-theme") || "";
      localStorage.setItem("conformance-theme", theme);
    } catch {
      // Without storage the choice is lost with the page.
    }
    return theme || "";
  };
  paint(remembered());
  for (const button of choices) button.addEventListener("click", () => paint(remembered(button.dataset.themeChoice)));

  // Copying: by the clipboard, or by a selection if there is no clipboard.
  const selected = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  };
  const copy = async (element) => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      return selected(element);
    }
  };
  for (const button of all("[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const done = (await copy($(button.dataset.copy))) ? "Copied" : "Press Ctrl+C";
      button.textContent = done;
      $("announced").textContent = done;
      setTimeout(() => (button.textContent = label), 1600);
    });
  }

  // Search and filters.
  const entries = all(".entry");
  const texts = new Map();
  const text = (entry) => {
    if (!texts.has(entry)) texts.set(entry, (entry.id + " " + entry.textContent).toLowerCase());
    return texts.get(entry);
  };
  const fields = { class: $("by-class"), outcome: $("by-outcome"), operation: $("by-operation") };
  const words = $("words");
  const fits = (entry, sought) =>
    (!fields.class.value || entry.dataset.class === fields.class.value) &&
    (!fields.outcome.value || entry.dataset.outcome === fields.outcome.value) &&
    (!fields.operation.value || entry.dataset.operations.split(" ").includes(fields.operation.value)) &&
    sought.every((word) => text(entry).includes(word));
  const opened = new Set();
  // As in the terminal: what has no verdict that counts is shown beside the requirements.
  const others = entries.filter((entry) => ["observed", "untested"].includes(entry.dataset.outcome));
  const total = entries.length - others.length;
  const filter = () => {
    const sought = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = sought.length > 0 || Object.values(fields).some((field) => field.value);
    for (const entry of entries) entry.hidden = !fits(entry, sought);
    for (const group of all(".group, #observed")) {
      const inside = [...group.querySelectorAll(".entry")];
      group.classList.toggle("empty", active && !inside.some((entry) => !entry.hidden));
    }
    for (const fold of all(".fold")) {
      const found = active && fold.querySelector(".entry:not([hidden])");
      if (found && !fold.open) {
        opened.add(fold);
        fold.open = true;
      }
      if (!active && opened.delete(fold)) fold.open = false;
    }
    const visible = total - entries.filter((entry) => entry.hidden && !others.includes(entry)).length;
    $("count").textContent = active ? `${visible} of ${total} requirements` : `${total} requirements`;
  };
  const reset = () => {
    words.value = "";
    for (const field of Object.values(fields)) field.value = "";
    filter();
  };
  words.addEventListener("input", filter);
  for (const field of Object.values(fields)) field.addEventListener("change", filter);
  $("reset").addEventListener("click", reset);
  for (const link of all("[data-pick-outcome]")) {
    link.addEventListener("click", () => {
      reset();
      fields.class.value = link.dataset.pickClass;
      fields.outcome.value = link.dataset.pickOutcome;
      filter();
    });
  }
  filter();

  // Permanent links unfold what they lead to, and reset the filters that hide it.
  const reveal = () => {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      return;
    }
    const target = name && $(name);
    if (!target) return;
    if (target.closest("[hidden], .empty")) reset();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  // Following the same link again does not change the hash.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });
  reveal();
})();
