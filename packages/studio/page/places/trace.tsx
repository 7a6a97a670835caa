import type { WritesAnswer } from '../../api/trace.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { goTo, Link } from '../base/place.tsx';
import { Ripple } from '../items/ripple.tsx';
import { Ago } from '../parts/ago.tsx';
import { AnswerOf, Badge, Card, type PlaceProps } from '../parts/basics.tsx';
import { RankedEdgeView, rankedEdge } from './ranked-edge.tsx';

const EVERY_MS = 1_500;

export function Trace({ model, parameters }: PlaceProps) {
  const [source, target] = [parameters.get('source'), parameters.get('target')];
  const [rev, after] = [parameters.get('rev') ?? undefined, parameters.get('after')];
  if (source === null || target === null) {
    return (
      <>
        <p class="quiet">Choose a write to see what it changed, how fast, and at what cost.</p>
        <RecentWrites />
      </>
    );
  }
  const onUndone = (before: number): void => goTo(addressOf('/trace', { source, target, after: `${before}` }));
  const path = (onProjected?: () => void) => (
    <Card title="Follow a write">
      <Ripple
        write={{ source, target, rev, after: after === null ? undefined : Number(after) }}
        onProjected={onProjected}
        onUndone={model.isWritable ? onUndone : undefined}
      />
    </Card>
  );
  const ranked = rankedEdge(model, source, target);
  return (
    <>
      {ranked === undefined ? (
        path()
      ) : (
        <RankedEdgeView key={`${source} ${target}`} edge={ranked} isWritable={model.isWritable} path={path} />
      )}
      <RecentWrites chosen={rev} />
    </>
  );
}

function RecentWrites({ chosen }: { chosen?: string | undefined }) {
  const asked = useAnswer<WritesAnswer>('/api/writes');
  useAskedLater(asked, EVERY_MS);
  return (
    <Card title="Recent writes">
      <AnswerOf asked={asked}>
        {({ hasStream, writes }) => (
          <>
            {writes.length === 0 && (
              <p class="quiet">
                {hasStream ? 'No writes to show. New writes appear here.' : 'The table has no stream.'}
              </p>
            )}
            <ul class="nodes">
              {writes.map(({ source, target, rev, atMs, change }) => (
                <li key={rev}>
                  <Link
                    to={addressOf('/trace', { source, target, rev })}
                    class="key"
                    aria-current={rev === chosen ? 'true' : undefined}
                  >
                    <bdi>{source === target ? source : `${source} ${target}`}</bdi>
                  </Link>{' '}
                  {change !== 'changed' && <Badge kind={change === 'deleted' ? 'late' : 'good'}>{change}</Badge>}{' '}
                  <span class="quiet">
                    <Ago at={atMs} />
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </AnswerOf>
    </Card>
  );
}
