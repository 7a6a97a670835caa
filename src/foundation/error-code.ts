/**
 * The codes of Edgeloom's errors, with what happened and the remedy: docs/reference/errors.md is made of these comments. A failed call of
 * DynamoDB may also have DynamoDB's name of its error.
 */
export type ErrorCode =
  /** The edges both enter and leave nodes of this type. Remedy: Give `direction`. */
  | 'ambiguous-total'
  /** The downloaded engine is not the one that is pinned. Remedy: Try again. */
  | 'bad-download'
  /** The records of a failed batch have left the stream. Remedy: Run `edgeloom check --repair`. */
  | 'batch-trimmed'
  /** A check runs already. Remedy: Stop it, or wait. */
  | 'check-running'
  /** The checkpoint file cannot be written. Remedy: Check the disk and the folder's permissions. */
  | 'checkpoint-not-written'
  /**
   * A condition did not hold; nothing is changed. `current` has the attributes, null without an item; of a transaction `failures` lists
   * each. Remedy: Look at the item and decide again.
   */
  | 'condition-failed'
  /** The order of the cursor has changed with the model (docs/how-to/changing-the-model.md). Remedy: Start again without a cursor. */
  | 'cursor-outdated'
  /** The record of an erasure cannot be read. Remedy: Delete the named item, and erase again. */
  | 'damaged-erasure'
  /** Another engine has the data folder. Remedy: Stop the named process, or take another folder. */
  | 'data-in-use'
  /** The demo found a result that its data files do not give. Remedy: Report it. */
  | 'demo-mismatch'
  /** The sort key begins with `~`, which marks derived items. Remedy: Write nodes and edges only. */
  | 'derived-key'
  /** The edge joins nodes not of one tenant (docs/reference/model-options.md#the-table). Remedy: Correct the ids. */
  | 'edge-between-tenants'
  /** The engine did not start, or ended. Remedy: The message has its output. */
  | 'engine-ended'
  /** The engine did not start, or ended. Remedy: The message has its output. */
  | 'engine-failed'
  /** The search has `shards: 'value'`, or is native: it answers equality only. Remedy: Search with `equals`, or change the search in the model. */
  | 'equality-only'
  /** A batch that was given up could not be kept in the folder. Remedy: Check the disk and the folder's permissions. */
  | 'failure-not-written'
  /** The feed was stopped. Remedy: Start another one. */
  | 'feed-ended'
  /** A file of a new project, or of `--out`, exists; none is written. Remedy: Name an empty folder, or another file. */
  | 'file-exists'
  /** The function did not start. Remedy: Its output says more. */
  | 'function-failed'
  /** An answer of DynamoDB lacks a part; it is retryable. Remedy: Nothing, if it passes; else look at proxies. */
  | 'incomplete-answer'
  /** An argument has a value that the query cannot take. Remedy: See the message. */
  | 'invalid-argument'
  /** An attribute has a value that DynamoDB or the type's validator refuses. Remedy: Correct the named attribute. */
  | 'invalid-attribute'
  /** Operations of a batch are wrong in several ways; nothing is written. `problems` lists them. Remedy: Correct each of them. */
  | 'invalid-batch'
  /** A change that the studio is asked about does not fit the model. Remedy: See the message. */
  | 'invalid-change'
  /** The checkpoint file is not one. Remedy: Delete it: a replay changes nothing. */
  | 'invalid-checkpoint'
  /** The model file does not load, or exports no model. Remedy: Export the result of `defineGraph` as default. */
  | 'invalid-config'
  /** A stored count is no number. Remedy: Run `edgeloom check --repair`. */
  | 'invalid-count'
  /**
   * The cursor was altered, or belongs to another query or model. Remedy: Pass cursors on unchanged, with the same arguments, or start
   * without one.
   */
  | 'invalid-cursor'
  /** The edge type does not join these node types, or the edge is not one of its type. Remedy: See the message. */
  | 'invalid-edge'
  /** A variable of the function's environment is wrong. Remedy: Correct the named variable. */
  | 'invalid-environment'
  /** The folder holds no full export to S3 in DynamoDB JSON. Remedy: Give the folder with its manifest and all data files. */
  | 'invalid-export'
  /** A message of an on-failure destination cannot be read. Remedy: Correct or delete the message. */
  | 'invalid-failure-message'
  /** A filter pattern is not one that Lambda takes. Remedy: Correct the pattern. */
  | 'invalid-filter'
  /** A node id is no text `TYPE-anything`, or DynamoDB cannot hold it as a key. Remedy: Use ids such as those of `newId('USER')`. */
  | 'invalid-id'
  /** A line or document is not JSON. Remedy: Correct the named line. */
  | 'invalid-json'
  /** A key of an item is no text, or no key that the model can have. Remedy: Correct the named key. */
  | 'invalid-key'
  /** A limit is no whole number of 1 or more, or too high. Remedy: Give another. */
  | 'invalid-limit'
  /** Lines of an import are wrong; nothing is written. Remedy: Correct the lines, or use `--skip-bad`. */
  | 'invalid-lines'
  /**
   * An option of the event source mapping is outside Lambda's limits; or `map` of a source throws, or makes what the model does not take.
   * Remedy: See the message.
   */
  | 'invalid-mapping'
  /** The model has mistakes. `mistakes` names each with its path. Remedy: Correct each path in the model file. */
  | 'invalid-model'
  /** Service, stage or table make a name that AWS refuses. Remedy: See the message. */
  | 'invalid-name'
  /** An option has a value outside its range. Remedy: See the message. */
  | 'invalid-option'
  /** The message names the wrong parameters of the stack. Remedy: The page docs/reference/parameters.md says what each means. */
  | 'invalid-parameters'
  /** A file of prices is missing, or lacks a price. Remedy: Copy the file that comes with the package. */
  | 'invalid-prices'
  /** An event has no records, or one without sequence number or text keys. Remedy: Check that the stream belongs to the model's table. */
  | 'invalid-record'
  /** A request of the page is wrong; the message says why. Remedy: Load the page again. */
  | 'invalid-request'
  /** The session token was altered, or signed with another key. Remedy: Begin a new session. */
  | 'invalid-session'
  /** The text is not the ARN of a stream. Remedy: Give the stream's ARN. */
  | 'invalid-stream-arn'
  /** The item is larger than 400 KB. Remedy: Move a large attribute to another node, or outside the table. */
  | 'item-too-large'
  /**
   * A projection that a migration builds cannot hold some items: a label that its rank lacks, a value of another type, a `derive` that
   * throws. Remedy: Correct the items or the model, or accept that readers miss them.
   */
  | 'items-left-out'
  /**
   * A partition key of a base item has more than 2,048 bytes, or its sort key more than 1,024. A node's id is both. Remedy: Use shorter
   * ids, or `keys: 'hashed'` on the edge type.
   */
  | 'key-too-long'
  /** Readers would have nothing left after this withdrawal or retirement. Remedy: Migrate to the next model first, or use `--drop`. */
  | 'last-generation'
  /** A migration waits until no consumer can write items of what is retired. Remedy: Wait, or stop: the next migration deletes them. */
  | 'late-writes'
  /** A line of an import has more than 8 MiB. Remedy: Split or shorten it: an item has at most 400 KB. */
  | 'line-too-long'
  /**
   * A watched list is behind so many items that it leaves out, such as soft-deleted ones in a native index, that `maxRcu` is spent first.
   * Remedy: Watch a narrower range, or fewer rows; or raise `maxRcu`.
   */
  | 'list-not-filled'
  /** It ended before the stream was quiet. Remedy: Look at why it ended. */
  | 'mapping-ended'
  /** A worker or mapping was started a second time. Remedy: Create another one. */
  | 'mapping-used'
  /**
   * Another version of a source's mapping is in force, or none: the touch has to come again. Remedy: Run `edgeloom mirror sync` with the model
   * file that is deployed.
   */
  | 'mapping-not-in-force'
  /** A write is of a type that a source makes. Remedy: Write the item of the source. */
  | 'mirrored-type'
  /** The stream does not carry both images. Remedy: Set the view type to NEW_AND_OLD_IMAGES. */
  | 'missing-images'
  /** There is no model file at the path. Remedy: Name it with `--config`, or create `edgeloom.config.ts`. */
  | 'no-config'
  /** Nothing answers at the endpoint. Remedy: Start an engine with `edgeloom dev`, or correct `--endpoint`. */
  | 'no-connection'
  /**
   * An index has no consistent reads. Remedy: Use `getViews`, `edges`, `has`, or a session
   * (docs/how-to/sessions.md).
   */
  | 'no-consistent-index-read'
  /**
   * The embedded engine's package is not there for this platform. Remedy: Install what the message names, or use `--engine memory` or
   * `--engine dynamodb-local`.
   */
  | 'no-engine'
  /** The reader has no feed to watch. Remedy: Give `createReader` one: `startFeed`. */
  | 'no-feed'
  /** A file that an argument names cannot be read. Remedy: Correct the path. */
  | 'no-file'
  /** The module has no such handler. Remedy: Correct the file or the export. */
  | 'no-handler'
  /** A read asks for an index that the table does not have, or that DynamoDB still fills. Remedy: `edgeloom migrate` adds it, and waits. */
  | 'no-index'
  /** DynamoDB Local needs Java, and none was found. Remedy: Install Java 17 or newer. */
  | 'no-java'
  /** The edge type does not keep its target node in the index. Remedy: Declare `includeTarget`, or read the node with `getView`. */
  | 'no-target'
  /** The SDK's package for S3 or SQS is not installed. Remedy: Install it, as the message says. */
  | 'no-package'
  /** The page of the studio is not built. Remedy: Run `npm run build` in the clone. */
  | 'no-page'
  /** A cost in dollars was asked for without a rate of writes. Remedy: Add `--rate 1000/s`. */
  | 'no-rate'
  /** No AWS region is set. Remedy: Name it with `--region` or `AWS_REGION`. */
  | 'no-region'
  /** No answer of DynamoDB says its time, so no edge that is over is deleted. Remedy: Pass its header `Date` on, or give `serverTime`. */
  | 'no-server-time'
  /** A writer, reader or projector has no `store`. Remedy: Pass one; reader and writer also take a `client`. */
  | 'no-store'
  /** The table has no stream. Remedy: Enable one with both images. */
  | 'no-stream'
  /** The page was not opened with the studio's address. Remedy: Open the address that `edgeloom studio` printed last. */
  | 'no-studio-token'
  /** The table does not exist. Remedy: Create it with `edgeloom table create`, or correct its name. */
  | 'no-table'
  /**
   * What a write rests on was read too long ago, so it was not sent. Remedy: None is needed; the batch comes again and reads anew. If it
   * never ends, raise the time of the function, or make its batches smaller.
   */
  | 'no-time'
  /**
   * The model keeps no sums or groups of these edges of the node. Remedy: Declare `total` or `groupBy` under `inbound` or `outgoing`,
   * then migrate.
   */
  | 'no-total'
  /** The edge type is neither counted nor listed. Remedy: Declare `degree: true`. */
  | 'not-counted'
  /** The base item cannot be projected in full; it is in quarantine. Remedy: Correct the base item. */
  | 'not-derivable'
  /** An update is of an item that does not exist; nothing is changed, and `current` is null. Remedy: Put it first, or give `upsert: true`. */
  | 'not-found'
  /** The table has replicas, and consumers and migrations run in another region. Remedy: Run it in the named region. */
  | 'not-home-region'
  /**
   * The edge set does not list this type or label. Remedy: Declare `edgeSet` in the model, or give `page` `{ edge }`: a Query for each
   * node.
   */
  | 'not-in-edge-set'
  /** The edge type has no inbound order. Remedy: Declare `inbound` in the model. */
  | 'not-indexed'
  /** Nodes of this type are in no list. Remedy: Give the type `list: true`, then migrate; or `scanNodes`, which scans the whole table. */
  | 'not-listed'
  /** Nodes of the type have no views. Remedy: Add `view: ['name']` to the type, or read `getNode`. */
  | 'no-view'
  /**
   * A list cannot be filtered by an attribute that its index items do not hold. Remedy: Name the attribute in `project`, then migrate.
   */
  | 'not-projected'
  /** A sample of the table has no items of other software. Remedy: Name another table, or begin with `init`. */
  | 'nothing-to-adopt'
  /** Another process observes the table. Remedy: Stop it, or wait a minute after its end. */
  | 'observer-busy'
  /** A rebuild without a registry, while a consumer projects another model. Remedy: Deploy this one, wait a minute; or `--force`. */
  | 'old-consumers'
  /**
   * Software from before the registry has written derived items during a migration. Remedy: Deploy this version to every consumer, wait
   * until calls of the old one have ended, migrate again.
   */
  /** The prices are those of another region than `--region`. Remedy: Pass a file with the prices of that region: `--prices`. */
  | 'other-region'
  /** The time budget ended before the work did. Remedy: Call again: it goes on, or give more time. */
  | 'out-of-time'
  /** The answer to a write was lost: it may have been made or not. Remedy: Read the item, or use `idempotent` or `idempotencyToken`. */
  | 'outcome-unknown'
  /** The port is taken. Remedy: Choose another with `--port`. */
  | 'port-in-use'
  /**
   * The table keeps a version of a `derive` that this model does not have. The batch waits. Remedy: Deploy a model with that version of
   * the function, as its own or under `others`.
   */
  | 'projection-code-missing'
  /**
   * The table does not keep this as the model defines it, or is still building it. Remedy: Run `edgeloom migrate` with this model, or
   * wait until it is done.
   */
  | 'projection-not-ready'
  /** The projection of a base item was not there in time. Remedy: Look at the consumer. */
  | 'projection-timeout'
  /** The page asked for a write, and this studio only reads. Remedy: Start it with `--write`. */
  | 'read-only'
  /**
   * Views of two node types were defined with different options of one edge type. Remedy: Drop the type that has left the model, then
   * migrate.
   */
  | 'registry-conflict'
  /**
   * The table had a registry, and it is gone. Remedy: Restore the partition `~edgeloom` from a backup, or migrate and start the process
   * again.
   */
  | 'registry-gone'
  /** The registry names a definition that is not in the table. Remedy: Restore the partition `~edgeloom`, or register the table again. */
  | 'registry-incomplete'
  /** A reader is at a replica of a table whose home is another region. Remedy: Read at home, or give the reader the option `replica`. */
  | 'replica-read'
  /** The file of `--report` is a link or no regular file, or cannot be written. Remedy: Name a new or a regular file. */
  | 'report-not-written'
  /**
   * The service has another name than package.json records: its table would be new and empty. Remedy: Take the old name, or change
   * `edgeloom.service` of package.json too.
   */
  | 'service-renamed'
  /**
   * The search to drop shares the item of another one, and the model has it there. Remedy: Take it out of the model and migrate, or drop
   * the projection of the item.
   */
  | 'shared-item'
  /** The work did not end within four seconds of a signal. Remedy: Run the command again: it is as after a crash. */
  | 'stopped'
  /** The stream was disabled or deleted. Remedy: Enable it, and start again. */
  | 'stream-ended'
  | 'stream-expired'
  | 'stream-no-shard'
  | 'stream-trimmed'
  /** The studio cannot listen on its port. Remedy: Give another `--port`. */
  | 'studio-port'
  /**
   * The table lacks the keys or the stream that the model needs, has a key of another type than text, or cannot get an index. Remedy: The
   * message names what; `edgeloom table update` adds it, unless the hint says otherwise.
   */
  | 'table-differs'
  /** A table of this name exists already. Remedy: Use it, or another name. */
  | 'table-exists'
  /**
   * The table has another name than package.json records: it would be new and empty. Remedy: Take the old name, or change
   * `edgeloom.table` of package.json too.
   */
  | 'table-renamed'
  /** An update depends on more than 150 attributes, or 148 of a type that ends. Remedy: Look at fewer, or keep small values in one map. */
  | 'too-many-attributes'
  /** Too many clients watch. Remedy: Connect later; raise `maxClients`. */
  | 'too-many-clients'
  /** A list, set or map has more entries than `maxEntries` allows. Remedy: Keep the entries as nodes and edges, or raise the limit. */
  | 'too-many-entries'
  /** A group has more than 50 values. Remedy: Ask with `groups: false`. */
  | 'too-many-groups'
  /**
   * For ten seconds others changed what an update or a transaction had looked at. Remedy: Look at fewer attributes, or use `{ add }` without `fields` for
   * counters.
   */
  | 'too-much-contention'
  /** The time of a call ended before all was written that a source item makes. Remedy: Touch the key again: the touch goes on where it stopped. */
  | 'touch-unfinished'
  /** An object of the bucket of failed batches cannot be deleted. Its batch is reconciled. Remedy: Allow `s3:DeleteObject` on it. */
  | 'undeletable-object'
  /**
   * The registry holds a definition with an option that this version of Edgeloom does not know. The batch waits. Remedy: Deploy the
   * version that the table was last migrated with.
   */
  | 'unknown-definition'
  /** The model declares no such label: of a rank, of an edge set, or of an enum of `fields`. Remedy: See the message. */
  | 'unknown-label'
  /** A call was given an option that it does not have. Remedy: See the hint. */
  | 'unknown-option'
  /** The edge type has no order of this name. Remedy: See the message. */
  | 'unknown-order'
  /** Neither the table nor the model has a projection of this name. Remedy: Take a name that `edgeloom status` lists. */
  | 'unknown-projection'
  /** A read of a load is no query of the model, or begins several. Remedy: Name one as `edgeloom cost` prints it. */
  | 'unknown-query'
  /** The registry has a layout that this version of Edgeloom does not know. Remedy: Update Edgeloom. */
  | 'unknown-registry'
  /** The studio has no answer to a request. Remedy: Load the page again. */
  | 'unknown-request'
  /** The node type has no search of this name. Remedy: See the message. */
  | 'unknown-search'
  /** The model has no such node or edge type. Remedy: Correct the name, or declare the type. */
  | 'unknown-type'
  /** The object with a failed batch cannot be read from S3. Remedy: Check the function's rights and the bucket. */
  | 'unreadable-object'
  /** No signed request may go to the URL of the queue. Remedy: Give the URL of a queue of SQS, or `--any-host`. */
  | 'untrusted-queue'
  /**
   * `stack --code` has the same key for other code: nothing would be deployed. Remedy: Add `--zip functions.zip`, `?versionId=...`, or a
   * hash in the key.
   */
  | 'unversioned-code'
  /** Options of a command exclude each other, or one is missing. Remedy: See `--help` of the command. */
  | 'usage'
  /** A validator of `fields` threw, or answered in an unknown form. Remedy: Correct the validator. */
  | 'validator-failed'
  /**
   * A batch or import holds a node of a type with `versionAttribute`, or a delete names no version. Remedy: Write it alone, with its
   * version; `--force` skips that.
   */
  | 'versioned-type'
  /** `edgeloom wait` gave up: the message says what was not there. Remedy: Start a projector, or wait longer with `--for`. */
  | 'wait-timeout'
  /** It ended before the stream was quiet. Remedy: Look at why it ended. */
  | 'worker-ended'
  /** A worker or mapping was started a second time. Remedy: Create another one. */
  | 'worker-used'
  /** A message names a bucket that no failed batch is read from. Remedy: Name it with `--bucket`, or in the option `buckets`. */
  | 'wrong-bucket'
  /** A stream, or a failed batch, is of another table than the model's. Remedy: Give its stream, or `--table`. */
  | 'wrong-table';
