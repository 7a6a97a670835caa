import { render } from 'preact';
import { App } from './app.tsx';
import { takeToken } from './base/token.ts';

takeToken();
// The address of another studio at this port, pasted into a tab that shows the page, loads nothing by itself.
addEventListener('hashchange', () => {
  takeToken();
  location.reload();
});

render(<App />, document.getElementById('page')!);
