import type { AttributeValue, Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Choices } from '../../kernel/choices.ts';
import type { Climate } from './climate.ts';
import type { Features, Focus } from './models.ts';

/** The key of a node. */
const NODE = (id: string): ItemKey => ({ source: id, target: id });

/** A value that an index key has room for once, not twice. */
const LONG: AttributeValue = { S: 'v'.repeat(600) };

/** The base items of a schedule's graph: few, so that the same ones come, go and come again. */
export class Cast {
  readonly keys: readonly ItemKey[];

  constructor(
    private readonly features: Features,
    private readonly focus: Focus = 'anything',
  ) {
    const { small, tenants, part } = features;
    const id = (type: string, n: number, tenant = 't'): string =>
      `${type}-${tenants ? `${tenant}.` : ''}${n}${small && n > 1 ? 'p'.repeat(400) : ''}`;
    const [sources, targets] = [
      [id('A', 1), id('A', 2)],
      [id('B', 1), id('B', 2), id('B', 3)],
    ];
    const keys: ItemKey[] = [];
    for (const source of sources) {
      for (const target of targets) keys.push({ source, target: `AB-${target}` });
      keys.push({ source, target: source }, { source, target: `AA-${sources[1]}` });
      if (part) keys.push({ source, target: 'STATE' });
    }
    for (const target of targets.slice(0, 2)) keys.push({ source: target, target });
    keys.push({ source: sources[0]!, target: `AB-${sources[1]}` });
    if (tenants) keys.push({ source: sources[0]!, target: `AB-${id('B', 1, 'u')}` });
    const [a = '', b = ''] = [sources[0], targets[0]];
    // Few items that have to do with each other.
    if (focus === 'copies')
      this.keys = [...sources, id('A', 3)].map((source) => ({ source, target: `AB-${b}` })).concat(NODE(b), NODE(b));
    else if (focus === 'joined')
      this.keys = [...targets.map((target) => ({ source: a, target: `AB-${target}` })), NODE(a), NODE(a)];
    else if (focus === 'keys')
      this.keys = [
        { source: a, target: `AB-${b}` },
        { source: a, target: `AB-${a}` },
      ];
    else this.keys = keys;
  }

  /** Draws one change: which item, and what it holds from now on; undefined: nothing. */
  draw(choices: Choices, climate: Climate, name: string): { key: ItemKey; item: Item | undefined } {
    const { keys } = this;
    const place = choices.drawn(`${name}.key`, (random) =>
      random.chance(climate.hot) ? (climate.hotAt + random.below(2)) % keys.length : random.below(keys.length),
    );
    return this.drawFor(keys[Math.min(keys.length - 1, place)]!, choices, climate, name);
  }

  /** Draws what an item holds from now on. */
  drawFor(key: ItemKey, choices: Choices, climate: Climate, name: string): { key: ItemKey; item: Item | undefined } {
    if (choices.chance(`${name}.off`, 0.3)) return { key, item: undefined };
    const some = (attribute: string, values: readonly AttributeValue[]): Item => {
      const value = choices.drawn(`${name}.${attribute}`, (random) => random.below(values.length + 1));
      return value === 0 ? {} : { [attribute]: values[Math.min(value, values.length) - 1]! };
    };
    const bad = (value: AttributeValue): AttributeValue[] =>
      choices.chance(`${name}.bad`, climate.poison) ? [value] : [];
    return { key, item: { source: { S: key.source }, target: { S: key.target }, ...this.attributes(key, some, bad) } };
  }

  private attributes(
    { source, target }: ItemKey,
    some: (attribute: string, values: readonly AttributeValue[]) => Item,
    bad: (value: AttributeValue) => AttributeValue[],
  ): Item {
    const { search, soft, view, small, orders, third, tags } = this.features;
    const texts = (...values: string[]): AttributeValue[] => values.map((value) => ({ S: value }));
    const isLong = this.focus === 'joined' && third;
    const gone = soft ? some('gone', [{ BOOL: true }, { BOOL: false }, { BOOL: false }]) : {};
    if (source.startsWith('B-')) return some('name', texts('b1', 'b2'));
    if (target === 'STATE') return some('status', [...texts('on', 'off'), ...bad({ N: '1' })]);
    if (target.startsWith('AA-')) return gone;
    if (source === target) {
      const isLarge = view === 'all' && bad({ S: 'l'.repeat(3_500) });
      return {
        ...some('name', [...texts('n1', 'n2'), ...(search === 'none' ? [] : bad({ N: '4' }))]),
        ...some('title', texts('t1', 't2')),
        ...some('x', [
          ...texts('x1', 'x2'),
          ...(orders === 'joined' ? [...bad({ N: '5' }), ...(isLong ? [LONG] : bad(LONG))] : []),
        ]),
        ...(tags && some('tags', [{ L: texts('a') }, { L: texts('a', 'b') }, { L: texts('b') }, ...bad({ S: 'c' })])),
        ...(view === 'all' && small && some('about', texts('q'.repeat(500)))),
        ...(isLarge && isLarge.length > 0 && some('large', isLarge)),
        ...gone,
      };
    }
    const ranks = orders === 'rank' || orders === 'ranked-dated' ? bad({ S: 'BAD' }) : [];
    const dates =
      orders === 'date' || orders === 'ranked-dated' || third
        ? isLong
          ? [LONG]
          : bad(orders === 'joined' ? LONG : { N: '7' })
        : [];
    const { inbound, outgoing } = this.features;
    return {
      ...some('role', [...texts('LEAD', 'HELP'), ...ranks]),
      ...some('date', [...texts('d1', 'd2'), ...dates]),
      ...((inbound || outgoing) && some('hours', [{ N: '1' }, { N: '2.5' }, ...bad({ S: 'x' })])),
      ...((inbound || outgoing) && some('kind', [{ S: 'a' }, { S: 'b' }, { N: '3' }, ...bad({ L: [] })])),
      ...gone,
    };
  }
}
