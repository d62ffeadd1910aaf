"use strict";
(() => {
  const root = document.documentElement;
  const dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const turn = () => { root.dataset.theme = dark() ? "light" : "dark"; };
  document.getElementById("theme").addEventListener("click", turn);

  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const select = (number, focus) => {
    tabs.forEach((tab, i) => {
      const on = i === number;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    });
    if (focus) tabs[number].focus();
    tabs[number].scrollIntoView({block: "nearest", inline: "nearest"});
  };
  const current = () => tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  tabs.forEach((tab, i) => tab.addEventListener("click", () => select(i, false)));

  const show = (form) => document.querySelectorAll(".pass").forEach((pass) => {
    const panes = [...pass.querySelectorAll("[data-shows]")];
    if (!panes.some((pane) => pane.dataset.shows === form)) return;
    panes.forEach((pane) => { pane.hidden = pane.dataset.shows !== form; });
    pass.querySelectorAll("[data-form]").forEach((button) =>
      button.setAttribute("aria-pressed", button.dataset.form === form));
  });
  let form = "pseudocode";
  document.querySelectorAll("[data-form]").forEach((button) =>
    button.addEventListener("click", () => { form = button.dataset.form; show(form); }));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "t") return turn();
    if (!tabs.length) return;
    if (event.key === "ArrowRight") select(Math.min(current() + 1, tabs.length - 1), true);
    else if (event.key === "ArrowLeft") select(Math.max(current() - 1, 0), true);
    else if (event.key === "m") show(form = form === "mlir" ? "pseudocode" : "mlir");
    else return;
    event.preventDefault();
  });
})();
