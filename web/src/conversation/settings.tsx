import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { client, connections } from "../connection.js";
import { Select, type SelectOption } from "../kit/select.js";
import { toast, toastError } from "../kit/toast.js";
import { isKind, type ModelsListResult, type SandboxKind, type SettingsPatch, type Thinking } from "../sdk.js";
import type { SessionState } from "../session/state.js";
import type { SessionStore } from "../session/store.js";

/** The models of the host. */
export const models = signal<ModelsListResult>({ models: [], default: "" });

const modes = ["read-only", "plan", "workspace-write", "prompt", "danger-full-access"];
const sandboxes: SandboxKind[] = ["read-only", "workspace-write", "external", "full-access"];
const thinking: Thinking[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** The value of a setting that is not set. */
const unset = "";

/** The comboboxes of a session's settings. */
export function Settings({ store, state, disabled }: { store: SessionStore; state: SessionState; disabled: boolean }): JSX.Element {
  const connection = connections.value;
  useEffect(() => {
    const current = client.value;
    const load = async () => {
      models.value = (await current?.request("models/list", {})) ?? models.value;
      models.value = (await current?.request("models/list", { discover: true })) ?? models.value; // servers may take seconds
    };
    load().catch(() => {}); // the model that the session has is still shown
  }, [connection]);

  const { settings } = state;
  const list = models.value;
  const model = list.models.find(({ name }) => name === (settings.model ?? list.default));
  const change = async (patch: SettingsPatch) => {
    try {
      await store.change(patch);
    } catch (error) {
      if (isKind(error, "stale")) {
        toast("Another client has changed the settings: choose again");
      } else {
        toastError(error);
      }
    }
  };
  return (
    <div class="settings">
      <Select
        label="Model"
        title="Model"
        value={settings.model ?? list.default}
        options={list.models.map(({ name }) => ({ value: name }))}
        disabled={disabled}
        onChange={(model) => void change({ model })}
      />
      <Select
        label="Reasoning"
        title="Reasoning"
        value={settings.thinking ?? unset}
        options={withUnset("reasoning", model !== undefined && model.thinking.length > 0 ? model.thinking : thinking)}
        disabled={disabled}
        onChange={(value) => void change({ thinking: value === unset ? null : (value as Thinking) })}
      />
      <Select
        label="Mode"
        title="Mode: what runs without approval"
        value={settings.mode ?? unset}
        options={settings.mode === undefined ? withUnset("mode", modes) : modes.map((value) => ({ value }))}
        disabled={disabled}
        onChange={(mode) => void change({ mode })}
      />
      <Select
        label="Sandbox"
        title="Sandbox: how commands are confined"
        value={settings.sandbox?.kind ?? unset}
        options={withUnset("sandbox", sandboxes)}
        disabled={disabled}
        onChange={(kind) => void change({ sandbox: kind === unset ? null : { kind: kind as SandboxKind } })}
      />
      {(state.backend_options ?? []).map(({ setting, name, description, value, values }) => (
        <Select
          key={setting}
          label={name ?? setting}
          title={description ?? name ?? setting}
          value={value}
          options={values.map(({ id, name }) => ({ value: id, label: name ?? id }))}
          disabled={disabled}
          onChange={(id) => void change({ options: { [setting]: [id] } })}
        />
      ))}
    </div>
  );
}

function withUnset(what: string, values: string[]): SelectOption[] {
  return [{ value: unset, label: `default ${what}` }, ...values.map((value) => ({ value }))];
}
