import type { Command } from 'commander';

/** A command as the list of commands shows it; what it takes and does is loaded when it is named. */
export interface LazyCommand {
  name: string;
  /** The heading under which the help lists it. */
  group: 'Data' | 'Table' | 'Operate' | 'Build';
  description: string;
  /** Gives what adds arguments, options and the action to the command. */
  load(): Promise<(command: Command) => void>;
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly LazyCommand[] = [
  {
    name: 'get',
    group: 'Data',
    description: 'show views of nodes, the items of them (--stored), or one edge (SOURCE TYPE TARGET)',
    load: async () => (await import('./commands/read/get.ts')).getCommand,
  },
  {
    name: 'list',
    group: 'Data',
    description: 'list the nodes of a type, edges that leave or enter a node, or a page of nodes with their neighbours',
    load: async () => (await import('./commands/read/list.ts')).listCommand,
  },
  {
    name: 'search',
    group: 'Data',
    description: 'find nodes by a search attribute; without a predicate all of them, in order',
    load: async () => (await import('./commands/read/search.ts')).searchCommand,
  },
  {
    name: 'count',
    group: 'Data',
    description: "count a node's edges, outgoing or inbound, or what a search would find",
    load: async () => (await import('./commands/read/count.ts')).countCommand,
  },
  {
    name: 'total',
    group: 'Data',
    description: "show the sums and groups of a node's edges of a type, in one read",
    load: async () => (await import('./commands/read/total.ts')).totalCommand,
  },
  {
    name: 'put',
    group: 'Data',
    description: 'put a node or an edge whole: attributes that are not given are gone',
    load: async () => (await import('./commands/write/item.ts')).putCommand,
  },
  {
    name: 'update',
    group: 'Data',
    description: 'change attributes of a node or an edge; the others stay',
    load: async () => (await import('./commands/write/item.ts')).updateCommand,
  },
  {
    name: 'delete',
    group: 'Data',
    description: 'delete a node or an edge; the edges of a node stay',
    load: async () => (await import('./commands/write/item.ts')).deleteCommand,
  },
  {
    name: 'import',
    group: 'Data',
    description: 'write base items from JSON lines {"source": …, "target": …, …}; all lines are checked first',
    load: async () => (await import('./commands/write/import.ts')).importCommand,
  },
  {
    name: 'watch',
    group: 'Data',
    description: 'print the beginning of a list, of a search or some nodes, and then each change of it, until Ctrl-C',
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
    description:
      'say how far the consumers have come, what is in quarantine, what the last check found, what is missing',
    load: async () => (await import('./commands/trust/status.ts')).statusCommand,
  },
  {
    name: 'wait',
    group: 'Operate',
    description: 'wait until the endpoint answers, the table is there, and everything written so far is projected',
    load: async () => (await import('./commands/run/wait.ts')).waitCommand,
  },
  {
    name: 'check',
    group: 'Operate',
    description: 'verify all derived items against the base items, in one scan; repair what differs if asked',
    load: async () => (await import('./commands/trust/check.ts')).checkCommand,
  },
  {
    name: 'explain',
    group: 'Operate',
    description: 'say where an item should be and why it is there or not, or how a query is answered',
    load: async () => (await import('./commands/trust/explain.ts')).explainCommand,
  },
  {
    name: 'project',
    group: 'Operate',
    description: 'read the stream of the table and maintain the derived items, until Ctrl-C or until nothing new comes',
    load: async () => (await import('./commands/run/project.ts')).projectCommand,
  },
  {
    name: 'observe',
    group: 'Operate',
    description: 'judge each change of the table as it comes, and say through when everything derived is verified',
    load: async () => (await import('./commands/trust/observe.ts')).observeCommand,
  },
  {
    name: 'migrate',
    group: 'Operate',
    description:
      'bring the table to the model, step by step, under live traffic: a new projection is built and verified before readers use it',
    load: async () => (await import('./commands/table/migrate.ts')).migrateCommand,
  },
  {
    name: 'rebuild',
    group: 'Operate',
    description:
      'make every derived item what the base items ask for, under live writes and with a running projector: at first adoption, after a changed model, or after more than 24 hours without a consumer',
    load: async () => (await import('./commands/trust/rebuild.ts')).rebuildCommand,
  },
  {
    name: 'redrive',
    group: 'Operate',
    description:
      'reconcile what is in quarantine with the base items as they are now, and clear it; also what no consumer has claimed',
    load: async () => (await import('./commands/trust/redrive.ts')).redriveCommand,
  },
  {
    name: 'mirror',
    group: 'Operate',
    description: 'make base items of the items of another table: all at once, again, or compared one by one',
    load: async () => (await import('./commands/trust/mirror.ts')).mirrorCommand,
  },
  {
    name: 'subject',
    group: 'Operate',
    description: 'export everything that names one node, or erase it: base items, derived items, quarantine',
    load: async () => (await import('./commands/trust/subject.ts')).subjectCommand,
  },
  {
    name: 'drill',
    group: 'Operate',
    description:
      'try whether the alarms of a stack reach a person: set each, wait until it has told its topic, clear it',
    load: async () => (await import('./commands/trust/drill.ts')).drillCommand,
  },
  {
    name: 'init',
    group: 'Build',
    description: 'make a project: model, handlers, serverless.yml, a test, a workflow that tests and deploys',
    load: async () => (await import('./commands/project/init.ts')).initCommand,
  },
  {
    name: 'adopt',
    group: 'Build',
    description: 'propose a model file for a table that other software writes, from a sample of its items',
    load: async () => (await import('./commands/project/adopt.ts')).adoptCommand,
  },
  {
    name: 'stack',
    group: 'Build',
    description:
      'print the CloudFormation of the model, for SAM, Terraform, CDK or the AWS command line; needs no table',
    load: async () => (await import('./commands/project/stack.ts')).stackCommand,
  },
  {
    name: 'cost',
    group: 'Build',
    description: 'show the capacity units of each put and query of the model, and what a load costs; needs no table',
    load: async () => (await import('./commands/table/cost.ts')).costCommand,
  },
  {
    name: 'dev',
    group: 'Build',
    description: "run an embedded engine with the model's table and a projector, until Ctrl-C",
    load: async () => (await import('./commands/run/dev.ts')).devCommand,
  },
  {
    name: 'demo',
    group: 'Build',
    description: 'import US airports and routes, project them through the stream, read them and verify all of it',
    load: async () => (await import('./commands/run/demo.ts')).demoCommand,
  },
  {
    name: 'studio',
    group: 'Build',
    description:
      'serve a local web page over the table: model, consumers, nodes, shards, quarantine, checks; until Ctrl-C',
    load: async () => (await import('./commands/run/studio.ts')).studioCommand,
  },
  {
    name: 'shell',
    group: 'Build',
    description: 'a Node prompt over the table with reader, writer and graph: await, completion, history',
    load: async () => (await import('./commands/run/shell.ts')).shellCommand,
  },
];
