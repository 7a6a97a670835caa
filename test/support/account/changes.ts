import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { references } from '../stack/references.ts';
import type { Template, TemplateResource } from '../stack/template.ts';

const specification = loadAwsServiceSpecSync();

/** What an update does to one resource. */
export interface Change {
  id: string;
  type: string;
  action: 'Add' | 'Modify' | 'Remove' | 'Import';
  /** Whether CloudFormation makes another resource in its place. */
  isReplaced: boolean;
}

/** Resources of a template, by their logical ids. */
export type ResourceMap = Template['Resources'];

/**
 * What a change set of two templates says, as CloudFormation finds it: by the text of the templates, intrinsic functions included.
 * What refers to a replaced resource changes with it. A policy of a resource alone is no change.
 */
export function changesBetween(before: ResourceMap, after: ResourceMap): Change[] {
  const changes = new Map<string, Change>();
  const note = (id: string, action: Change['action'], isReplaced: boolean): void => {
    changes.set(id, { id, type: (after[id] ?? before[id])!.Type, action, isReplaced });
  };
  for (const id of Object.keys(before)) if (after[id] === undefined) note(id, 'Remove', false);
  for (const [id, resource] of Object.entries(after)) {
    const old = before[id];
    if (old === undefined) note(id, 'Add', false);
    else if (old.Type !== resource.Type) note(id, 'Modify', true);
    else {
      const properties = changedProperties(old, resource);
      if (properties.length > 0)
        note(
          id,
          'Modify',
          properties.some((name) => replaces(resource.Type, name)),
        );
    }
  }
  for (let more = true; more; ) {
    more = false;
    for (const [id, resource] of Object.entries(after)) {
      const found = changes.get(id);
      if (before[id] === undefined || found?.isReplaced === true) continue;
      const touched = Object.keys(resource.Properties).filter((name) =>
        references(resource.Properties[name]).some(({ id }) => changes.get(id)?.isReplaced === true),
      );
      if (touched.length === 0) continue;
      const isReplaced = touched.some((name) => replaces(resource.Type, name));
      if (found !== undefined && !isReplaced) continue;
      note(id, 'Modify', isReplaced);
      more = true;
    }
  }
  return [...changes.values()];
}

/** The resources so that each one comes after those that it needs. */
export function inOrder(resources: ResourceMap): string[] {
  const ordered = new Set<string>();
  const visit = (id: string): void => {
    const resource = resources[id];
    if (resource === undefined || ordered.has(id)) return;
    for (const other of [...(resource.DependsOn ?? []), ...references(resource.Properties).map((one) => one.id)])
      visit(other);
    ordered.add(id);
  };
  for (const id of Object.keys(resources)) visit(id);
  return [...ordered];
}

function changedProperties(old: TemplateResource, now: TemplateResource): string[] {
  const names = new Set([...Object.keys(old.Properties), ...Object.keys(now.Properties)]);
  const text = (value: unknown): string => JSON.stringify(value) ?? '';
  return [...names].filter((name) => text(old.Properties[name]) !== text(now.Properties[name]));
}

function replaces(type: string, property: string): boolean {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  if (resource === undefined) throw new Error(`there is no ${type}`);
  // Whatever may replace is taken to do it.
  return (resource.properties[property]?.causesReplacement ?? 'no') !== 'no';
}
