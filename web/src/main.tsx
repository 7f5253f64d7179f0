import { render } from "preact";

import "./app.css";

function App() {
  return (
    <main>
      <h1>Parley</h1>
    </main>
  );
}

render(<App />, document.body);
