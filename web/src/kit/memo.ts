import { Component, createElement, type ComponentType, type FunctionComponent } from "preact";

/** Returns a component that is rendered again only if one of its properties is another. */
export function memo<P extends object>(inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    static override displayName = inner.name;

    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as Record<string, unknown>;
      const after = next as Record<string, unknown>;
      return Object.keys(after).length !== Object.keys(before).length || Object.keys(after).some((name) => before[name] !== after[name]);
    }

    override render() {
      return createElement(inner, this.props as P);
    }
  };
}
