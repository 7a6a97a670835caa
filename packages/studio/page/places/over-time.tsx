import { useEffect, useState } from 'preact/hooks';
import { DERIVED_PREFIX } from '../../../../src/core/items/derived-prefix.ts';
import { countText, figureText } from '../../../../src/foundation/figure.ts';
import type { HistoryAnswer, HistoryMoment, HistoryVersion } from '../../api/history.ts';
import type { StoredItem } from '../../api/inspect.ts';
import type { PartDifference } from '../../base/differences.ts';
import { momentAt, type Stretch, type TruthState } from '../../base/history.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer, useAskedLater } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { useAskedAgain, useTouches } from '../base/touches.ts';
import { agoText } from '../parts/ago.tsx';
import { Badge, Card, LiveMark, Told } from '../parts/told.tsx';
import { Attributes, Difference } from '../parts/value.tsx';

/** Milliseconds between two questions while a change is on its way. */
const EVERY_MS = 2_000;
/** Milliseconds until the address follows the slider. */
const GRACE_MS = 200;

const BADGES = { equal: 'good', lag: 'late', drift: 'bad' } as const;
const WORDS: Record<TruthState, string> = {
  equal: 'readers saw what the base items ask for',
  lag: 'readers did not see yet what the base items ask for',
  drift: 'readers did not see what the base items ask for, and no change was on its way',
};

/** The moment in an address: a time in milliseconds, and a record. Neither: now. */
interface Named {
  at: number | undefined;
  rev: string | undefined;
}

/** A node over the time that the studio knows: what its base items were, what was stored, and when the two did not agree. */
export function OverTime({ id, parameters }: { id: string; parameters: URLSearchParams }) {
  const asked = useAnswer<HistoryAnswer>('/api/history', { id });
  const touches = useTouches({ sources: [id] });
  useAskedAgain(asked, touches.count);
  useAskedLater(asked, asked.answer?.stretches.at(-1)?.state === 'lag' ? EVERY_MS : undefined);
  const at = Number(parameters.get('at'));
  const [named, setNamed] = useState<Named>({
    at: Number.isNaN(at) ? undefined : at,
    rev: parameters.get('rev') ?? undefined,
  });
  useEffect(() => {
    // The address is there to be shared, and is no new place. A browser does not let a page change it a hundred times in a moment.
    const address = addressOf('/explore', { id, at: `${named.at ?? 'now'}`, rev: named.rev });
    const timer = setTimeout(() => history.replaceState(null, '', address), GRACE_MS);
    return () => clearTimeout(timer);
  }, [id, named]);
  return (
    <>
      <LiveMark live={touches} />
      <Told asked={asked}>
        {(answer) =>
          answer.moments.length === 0 ? (
            <p>Nothing is known of earlier moments: {answer.unknown}.</p>
          ) : (
            <Known id={id} answer={answer} named={named} onNamed={setNamed} />
          )
        }
      </Told>
    </>
  );
}

function Known({
  id,
  answer: { moments, stretches, versions, unknown },
  named,
  onNamed,
}: {
  id: string;
  answer: HistoryAnswer;
  named: Named;
  onNamed: (named: Named) => void;
}) {
  const index = momentAt(moments, named);
  const shown = index ?? moments.length - 1;
  const moment = moments[shown];
  const begin = timeText(moments[0]!.atMs);
  const onPlace = (place: number): void => {
    const one = moments[Math.max(0, place - 1)];
    if (one === undefined) onNamed({ at: undefined, rev: undefined });
    else onNamed(place === 0 ? { at: one.atMs - 1, rev: undefined } : { at: one.atMs, rev: one.rev });
  };
  return (
    <>
      <Card title="Over time">
        <Track moments={moments} stretches={stretches} index={index} onPlace={onPlace} />
        {moment === undefined ? (
          <p>
            Before {begin} nothing is known: {unknown}.
          </p>
        ) : (
          <Said id={id} moment={moment} stretch={within(stretches, shown)[0]!} isNow={index === undefined} />
        )}
        <p class="quiet">
          {countText(moments.length, 'change')} since {begin}: {countOf(stretches, 'lag')} and{' '}
          {countOf(stretches, 'drift')}. The model of now says what is expected; copies of other nodes are not compared;
          the stream tells whole seconds.
        </p>
      </Card>
      {moment !== undefined && <Sides moment={moment} versions={within(versions, shown)} />}
    </>
  );
}

function countOf(stretches: readonly Stretch[], state: TruthState): string {
  const { length } = stretches.filter((stretch) => stretch.state === state);
  return `${countText(length, 'stretch', 'stretches')} of ${state}`;
}

/** The stretches, or the versions, that include a moment. */
function within<T extends { first: number; last: number }>(all: readonly T[], index: number): T[] {
  return all.filter(({ first, last }) => first <= index && index <= last);
}

function Track({
  moments,
  stretches,
  index,
  onPlace,
}: Pick<HistoryAnswer, 'moments' | 'stretches'> & {
  index: number | undefined;
  /** Gets 0 for the time before the first moment, then the numbers of the moments, and one more for now. */
  onPlace: (place: number) => void;
}) {
  const states = moments.map((_, i) => within(stretches, i)[0]!.state);
  const moment = moments[index ?? -1];
  const nowMs = Date.now();
  const text =
    index === undefined
      ? `now, ${states.at(-1)}`
      : moment === undefined
        ? `before ${timeText(moments[0]!.atMs)}, not known`
        : `${timeText(moment.atMs)}, ${agoText(Date.now() - moment.atMs)}, ${states[index]}`;
  return (
    <div class="track">
      <label for="moment">Moment</label> <span>{text}</span>
      <input
        id="moment"
        type="range"
        min={0}
        max={moments.length + 1}
        value={(index ?? moments.length) + 1}
        aria-valuetext={text}
        onInput={(event) => onPlace(Number(event.currentTarget.value))}
      />
      <div class="stretches" aria-hidden="true">
        <span class={index === -1 ? 'unknown here' : 'unknown'} />
        {moments.map(({ rev, target, atMs }, i) => (
          <span
            key={rev}
            class={`${states[i]} ${isBase(target) ? 'base' : 'derived'}${i === (index ?? moments.length - 1) ? ' here' : ''}`}
            style={{ flexGrow: Math.max(0, (moments[i + 1]?.atMs ?? nowMs) - atMs) }}
          />
        ))}
      </div>
      <p class="ends quiet" aria-hidden="true">
        <span>{timeText(moments[0]!.atMs)}</span> <span>now</span>
      </p>
      <ul class="kinds">
        {['unknown', 'equal', 'lag', 'drift'].map((state) => (
          <li key={state}>
            <span class={state} aria-hidden="true" /> {state}
          </li>
        ))}
        <li>
          The slider moves from change to change. Tall lines are changes of base items, short lines of derived items.
        </li>
      </ul>
    </div>
  );
}

function Said({
  id,
  moment: { target, rev, change, differs },
  stretch,
  isNow,
}: {
  id: string;
  moment: HistoryMoment;
  stretch: Stretch;
  isNow: boolean;
}) {
  return (
    <>
      <p>
        <Badge kind={BADGES[stretch.state]}>{stretch.state}</Badge> {durationText(stretch)} {WORDS[stretch.state]}.
        {differs > 0 && ` Different: ${countText(differs, 'part')}.`}
      </p>
      <p>
        {isNow ? 'The last change: ' : 'Just then '}
        <span class="key">
          <bdi>{target}</bdi>
        </span>{' '}
        was {change}
        {isBase(target) && (
          <>
            {' '}
            (<Link to={addressOf('/trace', { source: id, target, rev })}>its way to readers</Link>)
          </>
        )}
        .
      </p>
    </>
  );
}

/** An item at a moment. Without one: base items ask for it, and it is not there. */
interface ShownItem {
  target: string;
  item: StoredItem | undefined;
  differences: readonly PartDifference[];
  /** True: it is known that nothing differs. */
  isRight: boolean;
}

function Sides({ moment, versions }: { moment: HistoryMoment; versions: readonly HistoryVersion[] }) {
  const { target, differences, differs } = moment;
  const byTarget = new Map(versions.map((version) => [version.item.target, version]));
  const targets = [...new Set([...byTarget.keys(), ...differences.map((one) => one.target)])].sort();
  const isWhole = differences.length === differs;
  const shown = targets.map((key): ShownItem => {
    const { item, isCompared = false } = byTarget.get(key) ?? {};
    const own = differences.filter((one) => one.target === key);
    return { target: key, item, differences: own, isRight: isCompared && isWhole && own.length === 0 };
  });
  const derived = shown.filter((one) => !isBase(one.target));
  return (
    <div class="split even">
      <Card title="Base at that moment">
        <Items items={shown.filter((one) => isBase(one.target))} changed={target} />
      </Card>
      <Card title="Expected and stored at that moment">
        {!isWhole && <p>Here are the first {differences.length} of the parts that differ.</p>}
        <Items
          items={[...derived.filter(isDifferent), ...derived.filter((one) => !isDifferent(one))]}
          changed={target}
        />
      </Card>
    </div>
  );
}

function isDifferent({ differences }: ShownItem): boolean {
  return differences.length > 0;
}

function isBase(target: string): boolean {
  return !target.startsWith(DERIVED_PREFIX);
}

function Items({ items, changed }: { items: readonly ShownItem[]; changed: string }) {
  if (items.length === 0) return <p class="quiet">There were none.</p>;
  return (
    <ul class="items">
      {items.map((one) => (
        <li key={one.target} class={one.item === undefined ? 'ghost' : undefined}>
          <ItemThen {...one} isChanged={one.target === changed} />
        </li>
      ))}
    </ul>
  );
}

function ItemThen({ target, item, differences, isRight, isChanged }: ShownItem & { isChanged: boolean }) {
  return (
    <details open={isChanged || differences.length > 0 || item?.source === target}>
      <summary>
        <span class="key">
          <bdi>{target}</bdi>
        </span>{' '}
        <Badge kind="plain">{item?.kind ?? 'not there'}</Badge> {isChanged && <Badge kind="plain">just changed</Badge>}{' '}
        {differences.length > 0 && <Badge kind="bad">not as expected</Badge>}
        {isRight && <Badge kind="good">as expected</Badge>}
      </summary>
      {differences.map(({ part, expected, stored }) => (
        <section key={part} aria-label={`${part} of ${target}`}>
          <h3>
            <bdi>{part}</bdi>
          </h3>
          <Difference expected={expected} stored={stored} />
        </section>
      ))}
      {item !== undefined && (
        <>
          {differences.length > 0 && <h3>All that was stored</h3>}
          <Attributes attributes={item.attributes} />
        </>
      )}
    </details>
  );
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The time of a stretch; of one that lasts, its beginning. */
function durationText({ fromMs, untilMs }: Stretch): string {
  if (untilMs === null) return `From ${timeText(fromMs)} on`;
  const seconds = Math.round((untilMs - fromMs) / 1_000);
  return seconds < 1 ? 'For less than a second' : `For ${figureText(seconds)} s`;
}
