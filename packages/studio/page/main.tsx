import { render } from 'preact';
import { App } from './app.tsx';
import { takeToken } from './base/token.ts';

takeToken();
// Pasting the address of another studio on this port changes only the fragment, so the page must reload.
addEventListener('hashchange', () => {
  takeToken();
  location.reload();
});

render(<App />, document.getElementById('page')!);
