import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { addressOf } from './address.ts';
import { resetUnits } from './ask.ts';

/** The place that the page shows: the address holds all of it, so that a place can be kept and shared. */
export interface Place {
  path: string;
  parameters: URLSearchParams;
}

const MOVED = 'studio-moved';

/** Goes to an address of the page. */
export function goTo(address: string): void {
  history.pushState(null, '', address);
  dispatchEvent(new Event(MOVED));
}

/** The place that the page is at, followed. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const onMove = (): void => {
      resetUnits();
      setPlace(placeNow());
    };
    addEventListener('popstate', onMove);
    addEventListener(MOVED, onMove);
    return () => {
      removeEventListener('popstate', onMove);
      removeEventListener(MOVED, onMove);
    };
  }, []);
  return place;
}

function placeNow(): Place {
  return { path: location.pathname, parameters: new URLSearchParams(location.search) };
}

/** Properties of a link. */
export interface LinkProps extends Omit<JSX.AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
  children: ComponentChildren;
}

/** A link to a place of the page. It is a real link: it opens in a new tab too. */
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

/** A link to a node. */
export function NodeLink({ id }: { id: string }) {
  return (
    <Link to={addressOf('/explore', { id })} class="key">
      <bdi>{id}</bdi>
    </Link>
  );
}
