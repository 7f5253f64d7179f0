import { render } from "preact";
import { App } from "./app.js";
import { start } from "./connection.js";
import "./style/app.css";

render(<App />, document.getElementById("app") as HTMLElement);
void start();
