import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { client, connections } from "../connection.js";
import { Icon } from "../kit/icon.js";

/** Where no model is configured: what answers instead, and how to get a model. */
export function FirstRun(): JSX.Element | null {
  const demo = useDefaultModel() === "offline/demo";
  const found = useDiscoveredModels(demo);
  if (!demo) {
    return null;
  }
  return (
    <section class="first-run" aria-label="Models">
      <h2>
        <Icon name="notice" />
        The offline demo answers
      </h2>
      <p>
        No model is configured, so sessions use the <strong>offline demo</strong>: it follows a few fixed rules, needs no key and no network, and shows how
        everything works. For a real model do one of these, and start Parley again:
      </p>
      <ul class="first-run-ways">
        <li>
          <h3>Use a key</h3>
          <pre>
            <code>export ANTHROPIC_API_KEY=…</code>
          </pre>
          <p class="muted small">Or the key of another provider, such as OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY.</p>
        </li>
        <li>
          <h3>Use your own server</h3>
          <pre>
            <code>export OLLAMA_BASE_URL=http://localhost:11434/v1</code>
          </pre>
          <p class="muted small">For vLLM, llama.cpp or LM Studio set OPENAI_BASE_URL to its address.</p>
        </li>
        <li>
          <h3>Sign in</h3>
          <pre>
            <code>parley acp --sign-in</code>
          </pre>
          <p class="muted small">For a provider with accounts: the settings signin.issuer and signin.client_id of the configuration name it.</p>
        </li>
      </ul>
      <p class="small" role="status">
        {found === undefined
          ? "Looking for models…"
          : found.length === 0
            ? "No model server was found at a configured address."
            : `Found: ${found.slice(0, 8).join(", ")}${found.length > 8 ? ` and ${found.length - 8} more` : ""}. Choose one in a session, in its list of models.`}
      </p>
    </section>
  );
}

/** Returns the model that new sessions have; undefined until that is known. */
function useDefaultModel(): string | undefined {
  const [model, setModel] = useState<string>();
  const [current, connection] = [client.value, connections.value];
  useEffect(() => {
    current?.request("models/list", {}).then(
      (list) => setModel(list.default),
      () => {}, // the page is signed out
    );
  }, [current, connection]);
  return model;
}

/** Returns the models that the host finds, without those that are built in; undefined until that is known. */
function useDiscoveredModels(wanted: boolean): string[] | undefined {
  const [models, setModels] = useState<string[]>();
  const current = client.value;
  useEffect(() => {
    if (wanted) {
      current?.request("models/list", { discover: true }).then(
        (list) => setModels(list.models.filter((model) => model.provider !== "offline" && !model.name.startsWith("offline/")).map((model) => model.name)),
        () => setModels([]),
      );
    }
  }, [current, wanted]);
  return models;
}
