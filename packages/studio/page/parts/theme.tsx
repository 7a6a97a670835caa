import { useEffect, useState } from 'preact/hooks';

const THEMES = ['auto', 'light', 'dark'] as const;
/** The colours of the page; `auto`: as the system has them. */
type Theme = (typeof THEMES)[number];

const CHANGED = 'studio-theme';

/** Gives the page its colours, and keeps them for this browser. */
export function setTheme(theme: Theme): void {
  localStorage.setItem('theme', theme);
  document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event(CHANGED));
}

/** The choice of the page's colours. */
export function ThemeChoice() {
  const kept = (): Theme => THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'auto';
  const [theme, setShown] = useState(kept);
  useEffect(() => {
    const onChange = (): void => setShown(kept());
    addEventListener(CHANGED, onChange);
    setTheme(kept());
    return () => removeEventListener(CHANGED, onChange);
  }, []);
  return (
    <label class="theme">
      Colours{' '}
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
