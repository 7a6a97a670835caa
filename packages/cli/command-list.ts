import type { Command } from 'commander';

/** A command as the list of commands shows it; what it takes and does is loaded when it is named. */
export interface LazyCommand {
  name: string;
  description: string;
  /** Gives what adds arguments, options and the action to the command. */
  load(): Promise<(command: Command) => void>;
}

/** The commands, in the order of the help. */
export const COMMANDS: readonly LazyCommand[] = [
  {
    name: 'demo',
    description: 'import US airports and routes, project them through the stream, read them and verify all of it',
    load: async () => (await import('./commands/run/demo.ts')).demoCommand,
  },
  {
    name: 'dev',
    description: "run an embedded engine with the model's table and a projector, until Ctrl-C",
    load: async () => (await import('./commands/run/dev.ts')).devCommand,
  },
  {
    name: 'table',
    description: "create, describe, update or delete the model's table",
    load: async () => (await import('./commands/table/table.ts')).tableCommand,
  },
  {
    name: 'migrate',
    description:
      'bring the table to the model, step by step, under live traffic: a new projection is built and verified before readers use it',
    load: async () => (await import('./commands/table/migrate.ts')).migrateCommand,
  },
  {
    name: 'import',
    description: 'write base items from JSON lines {"source": …, "target": …, …}; all lines are checked first',
    load: async () => (await import('./commands/write/import.ts')).importCommand,
  },
  {
    name: 'put',
    description: 'put a node or an edge whole: attributes that are not given are gone',
    load: async () => (await import('./commands/write/item.ts')).putCommand,
  },
  {
    name: 'update',
    description: 'change attributes of a node or an edge; the others stay',
    load: async () => (await import('./commands/write/item.ts')).updateCommand,
  },
  {
    name: 'delete',
    description: 'delete a node or an edge; the edges of a node stay',
    load: async () => (await import('./commands/write/item.ts')).deleteCommand,
  },
  {
    name: 'project',
    description: 'read the stream of the table and maintain the derived items, until Ctrl-C or until nothing new comes',
    load: async () => (await import('./commands/run/project.ts')).projectCommand,
  },
  {
    name: 'wait',
    description: 'wait until the endpoint answers, the table is there, and everything written so far is projected',
    load: async () => (await import('./commands/run/wait.ts')).waitCommand,
  },
  {
    name: 'status',
    description:
      'say how far the consumers have come, what is in quarantine, what the last check found, what is missing',
    load: async () => (await import('./commands/trust/status.ts')).statusCommand,
  },
  {
    name: 'studio',
    description:
      'serve a local web page over the table: model, consumers, nodes, shards, quarantine, checks; until Ctrl-C',
    load: async () => (await import('./commands/run/studio.ts')).studioCommand,
  },
  {
    name: 'explain',
    description: 'say where an item should be and why it is there or not, or how a query is answered',
    load: async () => (await import('./commands/trust/explain.ts')).explainCommand,
  },
  {
    name: 'check',
    description: 'compare all derived items with what the base items say, in one scan; repair what differs if asked',
    load: async () => (await import('./commands/trust/check.ts')).checkCommand,
  },
  {
    name: 'observe',
    description: 'judge each change of the table as it comes, and say through when everything derived is verified',
    load: async () => (await import('./commands/trust/observe.ts')).observeCommand,
  },
  {
    name: 'rebuild',
    description:
      'make every derived item what the base items ask for, under live writes and with a running projector: at first adoption, after a changed model, or after more than 24 hours without a consumer',
    load: async () => (await import('./commands/trust/rebuild.ts')).rebuildCommand,
  },
  {
    name: 'redrive',
    description:
      'reconcile what is in quarantine with the base items as they are now, and clear it; also what no consumer has claimed',
    load: async () => (await import('./commands/trust/redrive.ts')).redriveCommand,
  },
  {
    name: 'drill',
    description:
      'try whether the alarms of a stack reach a person: set each, wait until it has told its topic, clear it',
    load: async () => (await import('./commands/trust/drill.ts')).drillCommand,
  },
  {
    name: 'subject',
    description: 'export everything that names one node, or erase it: base items, derived items, quarantine',
    load: async () => (await import('./commands/trust/subject.ts')).subjectCommand,
  },
  {
    name: 'mirror',
    description: 'make base items of the items of another table: all at once, again, or compared one by one',
    load: async () => (await import('./commands/trust/mirror.ts')).mirrorCommand,
  },
  {
    name: 'get',
    description: 'show nodes with their projected attributes and edge sets, in the order asked',
    load: async () => (await import('./commands/read/get.ts')).getCommand,
  },
  {
    name: 'edge',
    description: 'show one edge as its producers wrote it',
    load: async () => (await import('./commands/read/edge.ts')).edgeCommand,
  },
  {
    name: 'edges',
    description: "list a node's outgoing edges",
    load: async () => (await import('./commands/read/edges.ts')).edgesCommand,
  },
  {
    name: 'nodes',
    description: 'list all nodes of a type by id; the type needs list: true in the model',
    load: async () => (await import('./commands/read/nodes.ts')).nodesCommand,
  },
  {
    name: 'degree',
    description: "count a node's edges of a type: outgoing ones in one read, or incoming ones",
    load: async () => (await import('./commands/read/degree.ts')).degreeCommand,
  },
  {
    name: 'total',
    description: "show the sums and groups of a node's edges of a type, in one read",
    load: async () => (await import('./commands/read/total.ts')).totalCommand,
  },
  {
    name: 'inbound',
    description: "list a node's incoming edges of one type, in a declared order",
    load: async () => (await import('./commands/read/inbound.ts')).inboundCommand,
  },
  {
    name: 'search',
    description: 'find nodes by a search attribute; without a predicate all of them, in order',
    load: async () => (await import('./commands/read/search.ts')).searchCommand,
  },
  {
    name: 'count',
    description: 'count what a search would find, over all shards',
    load: async () => (await import('./commands/read/count.ts')).countCommand,
  },
  {
    name: 'page',
    description:
      'a page of the nodes that link to a node, with the neighbours that their edge sets name, in three steps',
    load: async () => (await import('./commands/read/page.ts')).pageCommand,
  },
  {
    name: 'watch',
    description: 'print the beginning of a list, of a search or some nodes, and then each change of it, until Ctrl-C',
    load: async () => (await import('./commands/read/watch.ts')).watchCommand,
  },
  {
    name: 'shards',
    description: 'show how evenly the search items are spread over the shards of their index',
    load: async () => (await import('./commands/read/shards.ts')).shardsCommand,
  },
  {
    name: 'cost',
    description: 'show the capacity units of each put and query of the model, and what a load costs; needs no table',
    load: async () => (await import('./commands/table/cost.ts')).costCommand,
  },
  {
    name: 'init',
    description: 'make a project: model, handlers, serverless.yml, a test, a workflow that tests and deploys',
    load: async () => (await import('./commands/project/init.ts')).initCommand,
  },
  {
    name: 'adopt',
    description: 'propose a model file for a table that other software writes, from a sample of its items',
    load: async () => (await import('./commands/project/adopt.ts')).adoptCommand,
  },
  {
    name: 'stack',
    description:
      'print the CloudFormation of the model, for SAM, Terraform, CDK or the AWS command line; needs no table',
    load: async () => (await import('./commands/project/stack.ts')).stackCommand,
  },
];
