/** How a schedule fails that shows a planted bug. A change that only makes the code throw or run on for ever shows nothing of its rule. */
export const SHOWN_BY: Readonly<Record<'projector' | 'observer' | 'evolution', readonly string[]>> = {
  projector: ['diverged', 'revision-repeated', 'base-item-written', 'false-alarm', 'unseen-drift', 'mark'],
  observer: [
    ...['unsound', 'false-alarm', 'unseen-drift', 'stalled', 'lost-change', 'disorder', 'same-id', 'mark'],
    'own-write-hidden',
  ],
  // A wrong answer, a wrong finding, or what does not come to its end.
  evolution: ['wrong', 'alarm', 'unfinished', 'unsound', 'false-alarm', 'disputed', 'unseen-drift', 'stalled'],
};
