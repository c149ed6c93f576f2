// Where the console begins.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/tables.css";
import "./styles/shell.css";
import "./styles/chat.css";
import "./styles/composer.css";
import "./styles/markdown.css";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
