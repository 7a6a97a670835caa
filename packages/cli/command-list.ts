import type { Command } from 'commander';

/** `load` imports the command's options and action, and is called only for the named command. */
export interface LazyCommand {
  name: string;
  group: 'Data' | 'Table' | 'Operate' | 'Build';
  description: string;
  load(): Promise<(command: Command) => void>;
}

type Listed = readonly [description: string, load: LazyCommand['load']];

const GROUPS: Readonly<Record<LazyCommand['group'], Readonly<Record<string, Listed>>>> = {
  Data: {
    get: [
      'show nodes (as projected, or as written with --stored), or one edge',
      async () => (await import('./commands/read/get.ts')).getCommand,
    ],
    list: [
      "list the nodes of a type, a node's edges, or a page of nodes with their neighbors",
      async () => (await import('./commands/read/list.ts')).listCommand,
    ],
    search: [
      'find nodes by a search attribute, or list all of them in order',
      async () => (await import('./commands/read/search.ts')).searchCommand,
    ],
    count: [
      "count a node's outgoing or inbound edges, or the hits of a search",
      async () => (await import('./commands/read/count.ts')).countCommand,
    ],
    total: [
      "show the count, sums and groups of a node's edges",
      async () => (await import('./commands/read/total.ts')).totalCommand,
    ],
    put: [
      "put a whole node or edge; attributes that you don't give are removed",
      async () => (await import('./commands/write/item.ts')).putCommand,
    ],
    update: [
      'change attributes of a node or an edge, and keep the others',
      async () => (await import('./commands/write/item.ts')).updateCommand,
    ],
    delete: [
      "delete a node or an edge; a node's edges stay unless you add --with-edges",
      async () => (await import('./commands/write/item.ts')).deleteCommand,
    ],
    import: [
      'import items from JSON lines {"source": …, "target": …, …}; checks all lines before writing the first',
      async () => (await import('./commands/write/import.ts')).importCommand,
    ],
    watch: [
      'print a list, a search or nodes, then every change, until Ctrl-C',
      async () => (await import('./commands/read/watch.ts')).watchCommand,
    ],
  },
  Table: {
    table: [
      "create, describe, update or delete the model's table",
      async () => (await import('./commands/table/table.ts')).tableCommand,
    ],
  },
  Operate: {
    status: [
      'show how far behind the consumers are, and what needs attention',
      async () => (await import('./commands/trust/status.ts')).statusCommand,
    ],
    wait: [
      'wait until the table exists and everything written so far is projected',
      async () => (await import('./commands/run/wait.ts')).waitCommand,
    ],
    check: [
      'compare all derived items with the base items; --repair fixes what differs',
      async () => (await import('./commands/trust/check.ts')).checkCommand,
    ],
    explain: [
      "explain why an item is or isn't in a list, or how a query is answered",
      async () => (await import('./commands/trust/explain.ts')).explainCommand,
    ],
    project: [
      "project the table's stream from this process, until Ctrl-C",
      async () => (await import('./commands/run/project.ts')).projectCommand,
    ],
    observe: [
      'verify each change shortly after it is projected, and report drift',
      async () => (await import('./commands/trust/observe.ts')).observeCommand,
    ],
    migrate: [
      'apply a changed model to a table with data, while programs read and write',
      async () => (await import('./commands/table/migrate.ts')).migrateCommand,
    ],
    rebuild: [
      'derive all items again: for a table in place, or after more than 24 hours without a consumer',
      async () => (await import('./commands/trust/rebuild.ts')).rebuildCommand,
    ],
    redrive: [
      'reconcile quarantined items, failed batches, and records that no consumer has processed',
      async () => (await import('./commands/trust/redrive.ts')).redriveCommand,
    ],
    mirror: [
      'synchronize the nodes and edges that are made from another table',
      async () => (await import('./commands/trust/mirror.ts')).mirrorCommand,
    ],
    subject: [
      'export or erase everything about a node, such as a person',
      async () => (await import('./commands/trust/subject.ts')).subjectCommand,
    ],
    drill: [
      "test that a stack's alarms reach somebody: sets and clears each alarm",
      async () => (await import('./commands/trust/drill.ts')).drillCommand,
    ],
  },
  Build: {
    init: [
      'create a project: model, program, test, Lambda functions, stack and workflow',
      async () => (await import('./commands/project/init.ts')).initCommand,
    ],
    adopt: [
      'propose a model file for an existing table',
      async () => (await import('./commands/project/adopt.ts')).adoptCommand,
    ],
    stack: [
      "print the model's CloudFormation template, for SAM, Terraform, CDK or the AWS CLI",
      async () => (await import('./commands/project/stack.ts')).stackCommand,
    ],
    cost: [
      'show what each write and query of the model costs, and what a load costs a month',
      async () => (await import('./commands/table/cost.ts')).costCommand,
    ],
    dev: [
      "run a local engine with the model's table and a projector, until Ctrl-C",
      async () => (await import('./commands/run/dev.ts')).devCommand,
    ],
    demo: [
      'see Edgeloom at work: import airports and routes, project, query and verify them',
      async () => (await import('./commands/run/demo.ts')).demoCommand,
    ],
    studio: [
      'browse the table in a local web page, until Ctrl-C',
      async () => (await import('./commands/run/studio.ts')).studioCommand,
    ],
    shell: [
      'open a Node prompt with reader, writer and graph',
      async () => (await import('./commands/run/shell.ts')).shellCommand,
    ],
  },
};

export const COMMANDS: readonly LazyCommand[] = (['Data', 'Table', 'Operate', 'Build'] as const).flatMap((group) =>
  Object.entries(GROUPS[group]).map(([name, [description, load]]) => ({ name, group, description, load })),
);
