import type { ComponentChildren, JSX } from 'preact';
import { MANY, placeholderOfEdges } from '../../../../src/core/kinds/kind.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { typeOf } from '../../base/type-of.ts';
import { addressOf, type PlaceParameters } from './address.ts';
import { resetUnits } from './ask.ts';
import { useEventValue } from './event-value.ts';

/** Kept in the address, so that places can be bookmarked. */
export interface Place {
  path: string;
  parameters: URLSearchParams;
}

const MOVED = 'studio-moved';

addEventListener('popstate', resetUnits);

export function goTo(address: string): void {
  resetUnits();
  history.pushState(null, '', address);
  dispatchEvent(new Event(MOVED));
}

/** Replaces the address without adding a history entry or resetting the count of units. */
export function replaceAddress(address: string): void {
  history.replaceState(null, '', address);
  dispatchEvent(new Event(MOVED));
}

export function usePlace(): Place {
  return useEventValue(placeNow, 'popstate', MOVED);
}

function placeNow(): Place {
  return { path: location.pathname, parameters: new URLSearchParams(location.search) };
}

/** Returns the current address with changed parameters. Undefined removes a parameter. */
export function hereWith(changes: PlaceParameters): string {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    search.delete(name);
    for (const one of [value ?? []].flat()) search.append(name, one);
  }
  return search.size === 0 ? location.pathname : `${location.pathname}?${search}`;
}

export interface LinkProps extends Omit<JSX.AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
  children: ComponentChildren;
}

export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}

/** A key that stands for all edges of a type links to their list. */
export function ItemLink({ source, target }: ItemKey) {
  const text = <bdi>{source === target ? source : `${source} ${target}`}</bdi>;
  if (source === MANY || target === MANY) return <span class="key">{text}</span>;
  const type = typeOf(target);
  const place = target === placeholderOfEdges(type) ? { id: source, type } : { id: source, target };
  return (
    <Link to={addressOf('/node', place)} class="key">
      {text}
    </Link>
  );
}

export function NodeLink({ id, name = null }: { id: string; name?: string | null }) {
  return (
    <Link to={addressOf('/node', { id })} class={name === null ? 'key' : undefined}>
      {name !== null && <bdi>{name} </bdi>}
      <bdi class={name === null ? undefined : 'key quiet'}>{id}</bdi>
    </Link>
  );
}
