import type { Command } from 'commander';

/** A command in the list. `load` imports the command's options and action. It is called only if the command is named. */
export interface LazyCommand {
  name: string;
  group: 'Data' | 'Table' | 'Operate' | 'Build';
  description: string;
  load(): Promise<(command: Command) => void>;
}

export const COMMANDS: readonly LazyCommand[] = [
  {
    name: 'get',
    group: 'Data',
    description: 'show nodes (as projected, or as written with --stored), or one edge',
    load: async () => (await import('./commands/read/get.ts')).getCommand,
  },
  {
    name: 'list',
    group: 'Data',
    description: "list the nodes of a type, a node's edges, or a page of nodes with their neighbours",
    load: async () => (await import('./commands/read/list.ts')).listCommand,
  },
  {
    name: 'search',
    group: 'Data',
    description: 'find nodes by a search attribute, or list all of them in order',
    load: async () => (await import('./commands/read/search.ts')).searchCommand,
  },
  {
    name: 'count',
    group: 'Data',
    description: "count a node's outgoing or inbound edges, or the hits of a search",
    load: async () => (await import('./commands/read/count.ts')).countCommand,
  },
  {
    name: 'total',
    group: 'Data',
    description: "show the count, sums and groups of a node's edges",
    load: async () => (await import('./commands/read/total.ts')).totalCommand,
  },
  {
    name: 'put',
    group: 'Data',
    description: "put a whole node or edge; attributes that you don't give are removed",
    load: async () => (await import('./commands/write/item.ts')).putCommand,
  },
  {
    name: 'update',
    group: 'Data',
    description: 'change attributes of a node or an edge, and keep the others',
    load: async () => (await import('./commands/write/item.ts')).updateCommand,
  },
  {
    name: 'delete',
    group: 'Data',
    description: "delete a node or an edge; a node's edges stay unless you add --with-edges",
    load: async () => (await import('./commands/write/item.ts')).deleteCommand,
  },
  {
    name: 'import',
    group: 'Data',
    description:
      'import items from JSON lines {"source": …, "target": …, …}; checks all lines before writing the first',
    load: async () => (await import('./commands/write/import.ts')).importCommand,
  },
  {
    name: 'watch',
    group: 'Data',
    description: 'print a list, a search or nodes, then every change, until Ctrl-C',
    load: async () => (await import('./commands/read/watch.ts')).watchCommand,
  },
  {
    name: 'table',
    group: 'Table',
    description: "create, describe, update or delete the model's table",
    load: async () => (await import('./commands/table/table.ts')).tableCommand,
  },
  {
    name: 'status',
    group: 'Operate',
    description: 'show how far behind the consumers are, and what needs attention',
    load: async () => (await import('./commands/trust/status.ts')).statusCommand,
  },
  {
    name: 'wait',
    group: 'Operate',
    description: 'wait until the table exists and everything written so far is projected',
    load: async () => (await import('./commands/run/wait.ts')).waitCommand,
  },
  {
    name: 'check',
    group: 'Operate',
    description: 'compare all derived items with the base items; --repair fixes what differs',
    load: async () => (await import('./commands/trust/check.ts')).checkCommand,
  },
  {
    name: 'explain',
    group: 'Operate',
    description: "explain why an item is or isn't in a list, or how a query is answered",
    load: async () => (await import('./commands/trust/explain.ts')).explainCommand,
  },
  {
    name: 'project',
    group: 'Operate',
    description: "project the table's stream from this process, until Ctrl-C",
    load: async () => (await import('./commands/run/project.ts')).projectCommand,
  },
  {
    name: 'observe',
    group: 'Operate',
    description: 'verify each change shortly after it is projected, and report drift',
    load: async () => (await import('./commands/trust/observe.ts')).observeCommand,
  },
  {
    name: 'migrate',
    group: 'Operate',
    description: 'apply a changed model to a table with data, while programs read and write',
    load: async () => (await import('./commands/table/migrate.ts')).migrateCommand,
  },
  {
    name: 'rebuild',
    group: 'Operate',
    description: 'derive all items again: for a table in place, or after more than 24 hours without a consumer',
    load: async () => (await import('./commands/trust/rebuild.ts')).rebuildCommand,
  },
  {
    name: 'redrive',
    group: 'Operate',
    description: 'reconcile quarantined items, failed batches, and records that no consumer has processed',
    load: async () => (await import('./commands/trust/redrive.ts')).redriveCommand,
  },
  {
    name: 'mirror',
    group: 'Operate',
    description: 'synchronise the nodes and edges that are made from another table',
    load: async () => (await import('./commands/trust/mirror.ts')).mirrorCommand,
  },
  {
    name: 'subject',
    group: 'Operate',
    description: 'export or erase everything about a node, such as a person',
    load: async () => (await import('./commands/trust/subject.ts')).subjectCommand,
  },
  {
    name: 'drill',
    group: 'Operate',
    description: "test that a stack's alarms reach somebody: sets and clears each alarm",
    load: async () => (await import('./commands/trust/drill.ts')).drillCommand,
  },
  {
    name: 'init',
    group: 'Build',
    description: 'create a project: model, program, test, Lambda functions, stack and workflow',
    load: async () => (await import('./commands/project/init.ts')).initCommand,
  },
  {
    name: 'adopt',
    group: 'Build',
    description: 'propose a model file for an existing table',
    load: async () => (await import('./commands/project/adopt.ts')).adoptCommand,
  },
  {
    name: 'stack',
    group: 'Build',
    description: "print the model's CloudFormation template, for SAM, Terraform, CDK or the AWS CLI",
    load: async () => (await import('./commands/project/stack.ts')).stackCommand,
  },
  {
    name: 'cost',
    group: 'Build',
    description: 'show what each write and query of the model costs, and what a load costs a month',
    load: async () => (await import('./commands/table/cost.ts')).costCommand,
  },
  {
    name: 'dev',
    group: 'Build',
    description: "run a local engine with the model's table and a projector, until Ctrl-C",
    load: async () => (await import('./commands/run/dev.ts')).devCommand,
  },
  {
    name: 'demo',
    group: 'Build',
    description: 'see Edgeloom at work: import airports and routes, project, query and verify them',
    load: async () => (await import('./commands/run/demo.ts')).demoCommand,
  },
  {
    name: 'studio',
    group: 'Build',
    description: 'browse the table in a local web page, until Ctrl-C',
    load: async () => (await import('./commands/run/studio.ts')).studioCommand,
  },
  {
    name: 'shell',
    group: 'Build',
    description: 'open a Node prompt with reader, writer and graph',
    load: async () => (await import('./commands/run/shell.ts')).shellCommand,
  },
];
