// Before anything is painted: the language and the brightness that were chosen last time.
(function () {
  const root = document.documentElement;
  const theme = localStorage.getItem("weft.theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  root.lang = localStorage.getItem("weft.language") || (/^zh/i.test(navigator.language) ? "zh-CN" : "en");
})();
