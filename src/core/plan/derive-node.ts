import type { Item } from '../items/attribute-value.ts';
import { type DerivedSortKey, VIEW_KEY } from '../items/keys.ts';
import type { DerivedImage } from '../kinds/derived.ts';
import { partViewItem } from '../kinds/part-view.ts';
import { sourceShare } from '../kinds/parts/joined-items.ts';
import type { Outcomes } from '../kinds/parts/outcomes.ts';
import { type SearchItemPlan, searchItem, searchItemsOfValues } from '../kinds/parts/search-items.ts';
import { Subject } from '../kinds/parts/subject.ts';
import { targetItems } from '../kinds/target-item.ts';
import { partAttributesAsSource } from '../model/joined.ts';
import type { NodePlan, PartPlan, PlannedKey } from './type-plans.ts';

/** With more keys, a map is faster. */
const FEW_KEYS = 8;

export function deriveNode(plan: NodePlan, key: PlannedKey, image: Item, outcomes?: Outcomes): DerivedImage {
  const { node } = plan;
  const subject = new Subject(plan, key, image, outcomes);
  const items = new IndexItems(subject);
  if (plan.hasView) outcomes?.add(`nodes.${node.type}.view`, VIEW_KEY);
  items.addSearches(plan.searches);
  // These shares are derived only for their problems; the items are derived with the edges.
  for (const joined of plan.joinedItems) sourceShare(joined, subject);
  const attributes = subject.projectAttributes(node.view, { isLenient: true });
  for (const { key, item } of targetItems(node, subject, attributes)) {
    items.add(key, item);
    outcomes?.add(`nodes.${node.type}.includeTarget`, key);
  }
  return { attributes: plan.hasView ? attributes : undefined, ...items.image };
}

export function derivePart(plan: PartPlan, key: PlannedKey, image: Item, outcomes?: Outcomes): DerivedImage {
  const { part, joinedItems } = plan;
  const subject = new Subject(plan, key, image, outcomes);
  const items = new IndexItems(subject);
  if (part.view !== undefined) outcomes?.add(lineOfView(plan), part.view.inForce.places.key);
  items.addSearches(plan.searches);
  if (part.view !== undefined) {
    const { inForce } = part.view;
    try {
      items.add(inForce.places.key, partViewItem(part.view, subject));
    } catch (error) {
      const { message } = subject.noteProblem(error, inForce);
      outcomes?.addFault(lineOfView(plan), inForce.places.key, message, inForce);
    }
  }
  const asSource = joinedItems.length > 0 ? partAttributesAsSource(plan.graph, key.source, part.name, image) : {};
  const shared = new Subject(plan, key, asSource);
  for (const joined of joinedItems) sourceShare(joined, shared);
  const derived = items.image;
  return { ...derived, problems: [...derived.problems, ...shared.problems] };
}

function lineOfView({ type, part }: PartPlan): string {
  return `nodes.${type}.parts.${part.name}.view`;
}

class IndexItems {
  private readonly keys: DerivedSortKey[] = [];
  private readonly fields: Item[] = [];

  constructor(private readonly subject: Subject) {}

  add(key: DerivedSortKey, item: Item): void {
    this.keys.push(key);
    this.fields.push(item);
  }

  addSearches(plans: readonly SearchItemPlan[]): void {
    for (const plan of plans) {
      const { multiValue, inForce } = plan.first.search;
      const { places } = inForce;
      try {
        if (multiValue) {
          // One bad value excludes all values of the list, and is reported as the list's problem.
          for (const [key, item] of searchItemsOfValues(plan, this.subject)) this.add(key, item);
        } else {
          const item = searchItem(plan, this.subject);
          if (item !== undefined) this.add(places.first, item);
        }
      } catch (error) {
        const { message } = this.subject.noteProblem(error, inForce);
        this.subject.outcomes?.addFault(plan.first.line, places.first, message, inForce);
      }
    }
  }

  get image(): DerivedImage {
    const { keys, fields } = this;
    const places = keys.length > FEW_KEYS ? new Map(keys.map((key, place) => [key, place])) : undefined;
    return { keys, fields, places, problems: this.subject.problems };
  }
}
