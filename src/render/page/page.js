// The script of the page that `--html` writes. Without it the page shows all, and has no filter.
"use strict";
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

const copy = async (button) => {
  const code = button.parentElement.querySelector("code");
  getSelection().selectAllChildren(code);
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Selected: press Ctrl-C";
  }
  setTimeout(() => void (button.textContent = "Copy"), 2000);
};

{
  const form = document.querySelector(".filters");
  const items = all(".item", form?.parentElement);
  const status = form?.querySelector("[role=status]");
  const search = form?.querySelector("input");
  const fold = form?.querySelector("#fold");
  /** Numbers of the steps of the box that was chosen in the picture. */
  let chosen;
  document.documentElement.classList.add("has-script");

  const textOf = new Map();
  const has = (item, word) => {
    if (!textOf.has(item)) textOf.set(item, item.textContent.toLowerCase());
    return textOf.get(item).includes(word);
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/u).filter(Boolean);
    const chosenBy = all("select", form).filter(({ value }) => value !== "");
    let shown = 0;
    for (const item of items) {
      const fits =
        (chosen === undefined || chosen.has(item.id.slice(1))) &&
        chosenBy.every(({ value, dataset }) => item.dataset[dataset.by] === value) &&
        words.every((word) => has(item, word));
      item.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const group of all(".group")) group.hidden = group.querySelector(".item:not([hidden])") === null;
    const isAll = shown === items.length;
    status.textContent = isAll ? `${items.length} shown` : `${shown} of ${items.length} shown`;
    form.classList.toggle("is-filtered", !isAll);
  };

  const openAll = (isOpen) => {
    for (const item of items) if (!item.hidden) item.open = isOpen;
    fold.textContent = isOpen ? "Close all" : "Open all";
    fold.setAttribute("aria-pressed", String(isOpen));
  };

  const reset = () => {
    chosen = undefined;
    for (const box of all(".chosen")) box.classList.remove("chosen");
    form.reset();
    filter();
  };

  /** Shows the item that the address names, though a filter hides it. */
  const showNamed = () => {
    const named = document.getElementById(location.hash.slice(1));
    if (!named?.classList.contains("item")) return;
    if (named.hidden) reset();
    named.open = true;
    named.scrollIntoView({ block: "center" });
    named.querySelector("summary").focus({ preventScroll: true });
  };

  const choose = (box) => {
    reset();
    chosen = new Set(box.dataset.steps.split(" "));
    box.classList.add("chosen");
    filter();
    form.scrollIntoView();
    form.querySelector("[type=reset]").focus({ preventScroll: true });
  };

  if (form) {
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(chosen === undefined ? filter : reset));
    fold?.addEventListener("click", () => openAll(fold.getAttribute("aria-pressed") === "false"));
    filter();
  }
  for (const button of all(".copy button")) button.addEventListener("click", () => void copy(button));
  for (const box of all("a[data-steps]"))
    box.addEventListener("click", (event) => {
      if (!box.dataset.steps.includes(" ")) return;
      event.preventDefault();
      choose(box);
    });
  addEventListener("hashchange", showNamed);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && form?.contains(event.target)) reset();
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(?:input|select)$/iu.test(event.target.tagName))
      return;
    event.preventDefault();
    search?.focus();
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    const shown = all(".item").filter(({ hidden }) => !hidden);
    // Hundreds of steps would fill hundreds of sheets: there each has its line, and a danger its fields.
    opened = shown.filter((item) => !item.open && (shown.length <= 200 || item.closest(".danger")));
    for (const item of opened) item.open = true;
  });
  addEventListener("afterprint", () => {
    for (const item of opened) item.open = false;
  });
  showNamed();
}
