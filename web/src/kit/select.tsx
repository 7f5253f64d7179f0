import type { JSX } from "preact";

export interface SelectOption {
  value: string;
  label?: string;
}

interface SelectProps {
  label: string;
  value: string;
  options: SelectOption[];
  disabled?: boolean;
  title?: string;
  /** Whether the label is seen, too. */
  showLabel?: boolean;
  onChange: (value: string) => void;
}

/** A combobox of the platform. A value that is not an option is added to them. */
export function Select({ label, value, options, disabled, title, showLabel, onChange }: SelectProps): JSX.Element {
  const all = options.some((option) => option.value === value) ? options : [{ value }, ...options];
  return (
    <label class={showLabel ? "field" : "select"} title={title}>
      {showLabel && <span>{label}</span>}
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={(event) => {
          onChange(event.currentTarget.value);
          event.currentTarget.value = value; // until the host has changed it
        }}
      >
        {all.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.value}
          </option>
        ))}
      </select>
    </label>
  );
}
