import { countText } from '../../../../src/foundation/figure.ts';
import type { ProjectionChange, TimelineAnswer, TimelineMoment } from '../../api/timeline.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { Ago } from '../parts/ago.tsx';
import { Told } from '../parts/told.tsx';

const EVERY_MS = 2_000;

export function Timeline() {
  const asked = useAnswer<TimelineAnswer>('/api/timeline');
  useAskedLater(asked, EVERY_MS);
  return (
    <Told asked={asked}>
      {({ moments }) => {
        const changed = moments.filter(({ changes }) => changes.length > 0);
        if (changed.length === 0) {
          return <p class="quiet">No changes as far back as the stream goes. A running migration appears here.</p>;
        }
        return (
          <ol class="moments">
            {changed.map((moment) => (
              <Moment key={moment.version} moment={moment} />
            ))}
          </ol>
        );
      }}
    </Told>
  );
}

function groupsOf<T>(all: readonly T[], said: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(said(one), [...(groups.get(said(one)) ?? []), one]);
  return [...groups.values()];
}

function Moment({ moment: { version, atMs, changes } }: { moment: TimelineMoment }) {
  return (
    <li>
      <p>
        <strong>
          <Ago at={atMs} />
        </strong>{' '}
        <span class="quiet">
          version {version}, {countText(changes.length, 'change')}
        </span>
      </p>
      <ul>
        {groupsOf(changes, saidOf).map((alike) => (
          <li key={saidOf(alike[0]!)}>
            <details>
              <summary>
                {countText(alike.length, 'projection')}: {saidOf(alike[0]!)}
              </summary>
              <span class="key">{alike.map(({ name }) => name).join(', ')}</span>
            </details>
          </li>
        ))}
      </ul>
    </li>
  );
}

function saidOf(change: ProjectionChange): string {
  return `generation ${change.generation} ${wordsOf(change)}`;
}

function wordsOf({ before, after }: ProjectionChange): string {
  if (after === null) return 'was removed';
  if (after === 'retired') return 'is retired, and its items are being deleted';
  if (after === 'building') return before === 'ready' ? 'is withdrawn from readers' : 'is being built';
  return 'is ready, and readers use it';
}
