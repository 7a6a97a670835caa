import type { PolicyStatement, Template, TemplateResource } from '../stack/template.ts';
import { template as resolved } from '../stack/template.ts';
import { type Account, fixedName, type Thing } from './account.ts';
import { type Change, changesBetween, inOrder, type ResourceMap } from './changes.ts';

/** A stack as CloudFormation keeps it. */
export interface Stack {
  name: string;
  status: string;
  /** The template of the last operation that succeeded. */
  template: Pick<Template, 'Resources'>;
  /** The things that it manages, by their logical ids. */
  things: Map<string, Thing>;
  policy: readonly StackPolicyStatement[];
  isProtected: boolean;
  /** Updates that were executed, those that failed included. */
  updates: number;
  /** Why the last operation failed, one sentence for each resource. */
  reasons: string[];
}

/** A statement of a stack's own policy. */
export type StackPolicyStatement = Pick<PolicyStatement, 'Effect' | 'Action' | 'Resource'>;

/** A resource that a change set takes over. */
export interface ResourceToImport {
  ResourceType: string;
  LogicalResourceId: string;
  ResourceIdentifier: Record<string, string>;
}

/** A change set that waits to be executed. */
export interface ChangeSet {
  changes: Change[];
  execute(): Promise<void>;
}

/**
 * A simulator of CloudFormation, by its documentation: what a change set would add, replace or remove, what stack policy, termination
 * protection, deletion protection, deletion policies and fixed names let it do, and how it rolls back. An operation that fails throws
 * an error with its reasons, and leaves the stack in the status that AWS would.
 */
export class Stacks {
  readonly #stacks = new Map<string, Stack>();

  constructor(readonly account: Account) {}

  find(name: string): Stack | undefined {
    return this.#stacks.get(name);
  }

  /** The stack of a name; throws where there is none. */
  get(name: string): Stack {
    const stack = this.find(name);
    if (stack === undefined) throw new Error(`Stack with id ${name} does not exist`);
    return stack;
  }

  /** Deploys a template: creates the stack, or updates it by a change set. Gives what changed. */
  async deploy(name: string, template: Pick<Template, 'Resources'>): Promise<Change[]> {
    if (this.find(name) === undefined) return await this.#create(name, template);
    const { changes, execute } = this.changeSet(name, template);
    // A change set without changes fails, and the tools say that there is nothing to deploy.
    if (this.#isTakenBack(template)) {
      this.get(name).status = 'UPDATE_ROLLBACK_COMPLETE';
      throw new Error(`${name} is in UPDATE_ROLLBACK_COMPLETE: CodeDeploy has taken the version back`);
    }
    if (changes.length > 0) await execute();
    return changes;
  }

  /** Whether CodeDeploy would take back the version of an update: its code fails in the minutes of its alias. */
  #isTakenBack({ Resources }: Pick<Template, 'Resources'>): boolean {
    const isGradual = Object.values(Resources).some(({ Type }) => Type === 'AWS::CodeDeploy::DeploymentGroup');
    const code = Resources['StreamLambdaFunction']?.Properties['Code'] as { S3Key?: string } | undefined;
    return isGradual && code?.S3Key !== undefined && this.account.failing.has(code.S3Key);
  }

  async #create(name: string, template: Pick<Template, 'Resources'>): Promise<Change[]> {
    const stack = this.#empty(name);
    const { Resources } = resolved(template as Template);
    try {
      for (const id of inOrder(template.Resources)) await this.#make(stack, id, Resources[id]!);
    } catch (error) {
      stack.reasons = [String(error)];
      await this.#undo(stack, template.Resources);
      throw new Error(`${name} is in ${stack.status}: ${stack.reasons.join('; ')}`);
    }
    Object.assign(stack, { status: 'CREATE_COMPLETE', template });
    return changesBetween({}, template.Resources);
  }

  #empty(name: string): Stack {
    const stack: Stack = {
      ...{ name, status: 'REVIEW_IN_PROGRESS', template: { Resources: {} }, things: new Map(), reasons: [] },
      // Without a policy every update is allowed.
      ...{ policy: [{ Effect: 'Allow', Action: 'Update:*', Resource: '*' }], isProtected: false, updates: 0 },
    };
    this.#stacks.set(name, stack);
    return stack;
  }

  /** A first deployment that failed is taken back: all that it made is deleted, also under RetainExceptOnCreate. */
  async #undo(stack: Stack, resources: ResourceMap): Promise<void> {
    stack.status = 'ROLLBACK_COMPLETE';
    for (const id of inOrder(resources).reverse()) {
      const thing = stack.things.get(id);
      if (thing === undefined) continue;
      if (resources[id]!.DeletionPolicy === 'Retain') {
        this.#leave(stack, id);
        continue;
      }
      try {
        await this.account.delete(thing);
        stack.things.delete(id);
      } catch (error) {
        stack.status = 'ROLLBACK_FAILED';
        stack.reasons.push(String(error));
      }
    }
    // What is left is still the stack's.
    stack.template = { Resources: Object.fromEntries([...stack.things.keys()].map((id) => [id, resources[id]!])) };
  }

  /** What an update to a template would change, and the way to do it; with `imports`, an import. */
  changeSet(name: string, template: Pick<Template, 'Resources'>, imports?: readonly ResourceToImport[]): ChangeSet {
    if (imports !== undefined) return this.#importSet(name, template, imports);
    const stack = this.get(name);
    if (!/^(CREATE|UPDATE|IMPORT|UPDATE_ROLLBACK)_COMPLETE$/.test(stack.status)) {
      throw new Error(`Stack ${name} is in ${stack.status} state and can not be updated`);
    }
    const changes = changesBetween(stack.template.Resources, template.Resources);
    return { changes, execute: () => this.#update(stack, template, changes) };
  }

  async #update(stack: Stack, template: Pick<Template, 'Resources'>, changes: readonly Change[]): Promise<void> {
    stack.updates += 1;
    const before = stack.template.Resources;
    const { Resources } = resolved(template as Template);
    const undo: (() => Promise<void>)[] = [];
    const cleanUp: (() => Promise<void>)[] = [];
    const byId = new Map(changes.map((change) => [change.id, change]));
    try {
      for (const change of changes) permit(stack, change);
      for (const id of inOrder(template.Resources)) {
        const change = byId.get(id);
        if (change === undefined) continue;
        const now = Resources[id]!;
        const thing = stack.things.get(id);
        if (thing === undefined) {
          const made = await this.#make(stack, id, now);
          undo.push(async () => {
            stack.things.delete(id);
            made.isManaged = false;
            await this.account.delete(made);
          });
        } else if (change.isReplaced) {
          if (fixedName(now) === thing.name && before[id]!.Type === now.Type) {
            throw new Error(
              `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${id}`,
            );
          }
          const made = await this.#make(stack, id, now);
          undo.push(async () => {
            await this.account.delete(made);
            stack.things.set(id, thing);
          });
          cleanUp.push(() => this.#goes(thing, before[id]!.UpdateReplacePolicy));
        } else {
          const properties = thing.properties;
          await this.account.change(thing, now.Properties);
          undo.push(() => this.account.change(thing, properties));
        }
      }
    } catch (error) {
      stack.reasons = [String(error)];
      // What is new and cannot be deleted is left where it is, outside of the stack.
      for (const back of undo.reverse()) await back().catch((left) => void stack.reasons.push(String(left)));
      stack.status = 'UPDATE_ROLLBACK_COMPLETE';
      throw new Error(`${stack.name} is in ${stack.status}: ${stack.reasons.join('; ')}`);
    }
    for (const id of inOrder(before).reverse()) {
      if (byId.get(id)?.action !== 'Remove') continue;
      const thing = stack.things.get(id)!;
      stack.things.delete(id);
      cleanUp.push(() => this.#goes(thing, before[id]!.DeletionPolicy));
    }
    stack.reasons = [];
    // What cannot be deleted is left where it is: the update has succeeded.
    for (const clean of cleanUp) await clean().catch((error) => void stack.reasons.push(String(error)));
    Object.assign(stack, { status: 'UPDATE_COMPLETE', template });
  }

  async #goes(thing: Thing, policy: string | undefined): Promise<void> {
    thing.isManaged = false;
    if (policy === undefined || policy === 'Delete') await this.account.delete(thing);
  }

  #importSet(name: string, template: Pick<Template, 'Resources'>, imports: readonly ResourceToImport[]): ChangeSet {
    const stack = this.find(name) ?? this.#empty(name);
    const { Resources } = resolved(template as Template);
    const taken = imports.map(({ ResourceType, LogicalResourceId: id, ResourceIdentifier }) => {
      const resource = Resources[id];
      const thing = this.account.find(ResourceType, Object.values(ResourceIdentifier)[0]!);
      if (resource === undefined) throw new Error(`${id} is not in the template`);
      if (thing === undefined) throw new Error(`${id}: there is no such ${ResourceType}`);
      if (thing.isManaged) throw new Error(`${id} already exists in a stack`);
      if (resource.DeletionPolicy === undefined) throw new Error(`${id} has no DeletionPolicy`);
      if (fixedName(resource) !== thing.name) throw new Error(`${id} has another name in the template`);
      return { id, thing, resource };
    });
    const ids = new Set(taken.map(({ id }) => id));
    const others = changesBetween(stack.template.Resources, template.Resources).filter(({ id }) => !ids.has(id));
    if (others.length > 0) throw new Error(`An import changes nothing else: ${others.map(({ id }) => id).join(', ')}`);
    const changes = taken.map(({ id, thing: { type } }): Change => ({ id, type, action: 'Import', isReplaced: false }));
    const execute = async (): Promise<void> => {
      for (const { id, thing } of taken) {
        thing.isManaged = true;
        stack.things.set(id, thing);
      }
      Object.assign(stack, { status: 'IMPORT_COMPLETE', template });
    };
    return { changes, execute };
  }

  /** Deletes a stack: what it should retain stays in the account, what cannot go stays in the stack. */
  async delete(name: string): Promise<void> {
    const stack = this.find(name);
    if (stack === undefined) return;
    if (stack.isProtected) throw new Error(`Stack ${name} cannot be deleted while TerminationProtection is enabled`);
    stack.reasons = [];
    for (const id of inOrder(stack.template.Resources).reverse()) {
      const thing = stack.things.get(id);
      if (thing === undefined) continue;
      if (stack.template.Resources[id]!.DeletionPolicy?.startsWith('Retain') === true) {
        this.#leave(stack, id);
        continue;
      }
      await this.account.delete(thing).then(
        () => stack.things.delete(id),
        (error) => stack.reasons.push(String(error)),
      );
    }
    if (stack.reasons.length === 0) this.#stacks.delete(name);
    else {
      stack.status = 'DELETE_FAILED';
      throw new Error(`${name} is in DELETE_FAILED: ${stack.reasons.join('; ')}`);
    }
  }

  #leave(stack: Stack, id: string): void {
    stack.things.get(id)!.isManaged = false;
    stack.things.delete(id);
  }

  async #make(stack: Stack, id: string, resource: TemplateResource): Promise<Thing> {
    const thing = await this.account.make(resource.Type, fixedName(resource), resource.Properties, true);
    stack.things.set(id, thing);
    return thing;
  }
}

/** Throws where the policy of a stack denies a change, or allows it nowhere. */
function permit({ name, policy }: Stack, { id, action, isReplaced }: Change): void {
  if (action === 'Add') return;
  const expected = action === 'Remove' ? 'Update:Delete' : isReplaced ? 'Update:Replace' : 'Update:Modify';
  const about = policy.filter(
    ({ Action, Resource }) =>
      [Action].flat().some((one) => one === expected || one === 'Update:*') &&
      [Resource].flat().some((one) => one === '*' || one === `LogicalResourceId/${id}`),
  );
  if (about.some(({ Effect }) => Effect === 'Deny') || !about.some(({ Effect }) => Effect === 'Allow')) {
    throw new Error(`${id}: Action denied by stack policy of ${name}: ${expected}`);
  }
}
