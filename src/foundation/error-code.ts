/**
 * The codes of Edgeloom's errors, with what happened and the remedy: docs/reference/errors.md is generated from these
 * comments. A failed DynamoDB call may also have DynamoDB's name of its error.
 */
export type ErrorCode =
  /** The edges both enter and leave nodes of this type. Remedy: Give `direction`. */
  | 'ambiguous-total'
  /** The downloaded engine doesn't match its pinned version. Remedy: Try again. */
  | 'bad-download'
  /** The records of a failed batch have left the stream. Remedy: Run `edgeloom check --repair`. */
  | 'batch-trimmed'
  /** A check is already running. Remedy: Stop it, or wait. */
  | 'check-running'
  /** The checkpoint file cannot be written. Remedy: Check the disk and the folder's permissions. */
  | 'checkpoint-not-written'
  /**
   * A condition failed; nothing was changed. `current` has the attributes, null without an item; a transaction lists
   * each in `failures`. Remedy: Read the item and decide again.
   */
  | 'condition-failed'
  /** The order of the cursor has changed with the model (docs/how-to/changing-the-model.md). Remedy: Start again without a cursor. */
  | 'cursor-outdated'
  /** The record of an erasure can't be read. Remedy: Delete the named item, and erase again. */
  | 'damaged-erasure'
  /** Another engine uses the data folder. Remedy: Stop the named process, or use another folder. */
  | 'data-in-use'
  /** The demo got a result that differs from its data files. Remedy: Report it. */
  | 'demo-mismatch'
  /** The sort key begins with `~`, which marks derived items. Remedy: Write nodes and edges only. */
  | 'derived-key'
  /** The edge joins nodes of different tenants (docs/reference/model-options.md#the-table). Remedy: Correct the ids. */
  | 'edge-between-tenants'
  /** The engine did not start, or ended. Remedy: The message has its output. */
  | 'engine-ended'
  /** The engine did not start, or ended. Remedy: The message has its output. */
  | 'engine-failed'
  /**
   * The search has `shards: 'value'`, or is native: it only supports equality. Remedy: Search with `equals`, or change
   * the search in the model.
   */
  | 'equality-only'
  /** A failed batch could not be saved in the folder. Remedy: Check the disk and the folder's permissions. */
  | 'failure-not-written'
  /** The feed was stopped. Remedy: Start another one. */
  | 'feed-ended'
  /**
   * A file of a new project, or of `--out`, already exists; nothing was written. Remedy: Name an empty folder, or
   * another file.
   */
  | 'file-exists'
  /** The function did not start. Remedy: See its output. */
  | 'function-failed'
  /** DynamoDB's answer is incomplete; retryable. Remedy: None, if it passes; otherwise check proxies. */
  | 'incomplete-answer'
  /** An argument has a value that the query doesn't accept. Remedy: See the message. */
  | 'invalid-argument'
  /** An attribute has a value that DynamoDB or the type's validator refuses. Remedy: Correct the named attribute. */
  | 'invalid-attribute'
  /**
   * Operations of a batch are wrong in several ways; nothing was written. `problems` lists them. Remedy: Correct each
   * of them.
   */
  | 'invalid-batch'
  /** A change proposed in the studio doesn't fit the model. Remedy: See the message. */
  | 'invalid-change'
  /** The file isn't a checkpoint. Remedy: Delete it: a replay changes nothing. */
  | 'invalid-checkpoint'
  /** The model file does not load, or exports no model. Remedy: Export the result of `defineGraph` as default. */
  | 'invalid-config'
  /** A stored count isn't a number. Remedy: Run `edgeloom check --repair`. */
  | 'invalid-count'
  /**
   * The cursor was altered, or belongs to another query or model. Remedy: Pass cursors on unchanged, with the same arguments, or start
   * without one.
   */
  | 'invalid-cursor'
  /** The edge type doesn't join these node types, or the edge isn't one of its type. Remedy: See the message. */
  | 'invalid-edge'
  /** An environment variable of the function is wrong. Remedy: Correct the named variable. */
  | 'invalid-environment'
  /**
   * The folder isn't a full export to S3 in DynamoDB JSON. Remedy: Give the folder with its manifest and all data
   * files.
   */
  | 'invalid-export'
  /** A message of an on-failure destination can't be read. Remedy: Correct or delete the message. */
  | 'invalid-failure-message'
  /** Lambda doesn't accept the filter pattern. Remedy: Correct the pattern. */
  | 'invalid-filter'
  /**
   * A node id isn't a text `TYPE-anything`, or DynamoDB can't hold it as a key. Remedy: Use ids such as those of
   * `newId('USER')`.
   */
  | 'invalid-id'
  /** A line or document isn't JSON. Remedy: Correct the named line. */
  | 'invalid-json'
  /** An item's key isn't a text, or doesn't fit the model. Remedy: Correct the named key. */
  | 'invalid-key'
  /** A limit isn't a whole number of at least 1, or is too high. Remedy: Use another. */
  | 'invalid-limit'
  /** Lines of an import are wrong; nothing was written. Remedy: Correct the lines, or use `--skip-bad`. */
  | 'invalid-lines'
  /**
   * An option of the event source mapping is outside Lambda's limits; or a source's `map` throws, or its result doesn't
   * fit the model. Remedy: See the message.
   */
  | 'invalid-mapping'
  /** The model has mistakes. `mistakes` names each with its path. Remedy: Correct each path in the model file. */
  | 'invalid-model'
  /** Service, stage or table make a name that AWS refuses. Remedy: See the message. */
  | 'invalid-name'
  /** An option has a value outside its range. Remedy: See the message. */
  | 'invalid-option'
  /** The message names the wrong parameters of the stack. Remedy: See docs/reference/parameters.md. */
  | 'invalid-parameters'
  /** A price file is missing, or lacks a price. Remedy: Copy the file that comes with the package. */
  | 'invalid-prices'
  /**
   * An event has no records, or a record without sequence number or text keys. Remedy: Check that the stream belongs to
   * the model's table.
   */
  | 'invalid-record'
  /** The page sent a wrong request; the message says why. Remedy: Reload the page. */
  | 'invalid-request'
  /** The session token was altered, or signed with another key. Remedy: Begin a new session. */
  | 'invalid-session'
  /** The text isn't a stream's ARN. Remedy: Give the stream's ARN. */
  | 'invalid-stream-arn'
  /** The item is larger than 400 KB. Remedy: Move a large attribute to another node, or outside the table. */
  | 'item-too-large'
  /**
   * A projection that a migration builds can't hold some items: a label that its rank lacks, a value of another type, a
   * `derive` that throws. Remedy: Correct the items or the model, or accept that readers miss them.
   */
  | 'items-left-out'
  /**
   * A partition key of a base item has more than 2,048 bytes, or its sort key more than 1,024. A node's id is both. Remedy: Use shorter
   * ids, or `keys: 'hashed'` on the edge type.
   */
  | 'key-too-long'
  /**
   * Readers would have nothing left after this withdrawal or retirement. Remedy: First migrate to the next model, or
   * use `--drop`.
   */
  | 'last-generation'
  /**
   * A migration waits until no consumer can write items of a retired generation. Remedy: Wait, or stop: the next
   * migration deletes them.
   */
  | 'late-writes'
  /** A line of an import has more than 8 MiB. Remedy: Split or shorten it: an item has at most 400 KB. */
  | 'line-too-long'
  /**
   * A watched list has to skip so many items, such as soft-deleted ones in a native index, that `maxRcu` runs out.
   * Remedy: Watch a narrower range or fewer rows, or raise `maxRcu`.
   */
  | 'list-not-filled'
  /** It ended before the stream was quiet. Remedy: Find out why it ended. */
  | 'mapping-ended'
  /** A worker or mapping was started a second time. Remedy: Create another one. */
  | 'mapping-used'
  /**
   * Another version of a source's mapping is in force, or none: the touch has to be repeated. Remedy: Run `edgeloom
   * mirror sync` with the deployed model file.
   */
  | 'mapping-not-in-force'
  /** A write is for a type that a source makes. Remedy: Write the source's item. */
  | 'mirrored-type'
  /** The stream doesn't have both images. Remedy: Set the view type to NEW_AND_OLD_IMAGES. */
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
   * The embedded engine has no package for this platform. Remedy: Install what the message names, or use `--engine
   * memory` or `--engine dynamodb-local`.
   */
  | 'no-engine'
  /** The reader has no feed to watch. Remedy: Pass `startFeed`'s feed to `createReader`. */
  | 'no-feed'
  /** A file named by an argument can't be read. Remedy: Correct the path. */
  | 'no-file'
  /** The module has no such handler. Remedy: Correct the file or the export. */
  | 'no-handler'
  /**
   * A read needs an index that the table doesn't have, or that DynamoDB is still filling. Remedy: `edgeloom table
   * update` adds it, and waits.
   */
  | 'no-index'
  /** DynamoDB Local needs Java, and none was found. Remedy: Install Java 17 or newer. */
  | 'no-java'
  /**
   * The edge type doesn't keep its target node in the index. Remedy: Declare `includeTarget`, or read the node with
   * `getView`.
   */
  | 'no-target'
  /** The SDK's package for S3 or SQS is not installed. Remedy: Install it, as the message says. */
  | 'no-package'
  /** The studio's page isn't built. Remedy: Run `npm run build` in the clone. */
  | 'no-page'
  /** A cost in dollars needs a rate of writes. Remedy: Add `--rate 1000/s`. */
  | 'no-rate'
  /** No AWS region is set. Remedy: Name it with `--region` or `AWS_REGION`. */
  | 'no-region'
  /**
   * DynamoDB's answers don't tell the time, so ended edges aren't deleted. Remedy: Pass on its header `Date`, or give
   * `serverTime`.
   */
  | 'no-server-time'
  /** A writer, reader or projector has no `store`. Remedy: Pass one; reader and writer also take a `client`. */
  | 'no-store'
  /** The table has no stream. Remedy: Enable one with both images. */
  | 'no-stream'
  /**
   * The page was not opened with the studio's address. Remedy: Open the address that `edgeloom studio` printed last.
   */
  | 'no-studio-token'
  /** The table does not exist. Remedy: Create it with `edgeloom table create`, or correct its name. */
  | 'no-table'
  /**
   * What a write is based on was read too long ago, so the write wasn't sent. Remedy: None; the batch is repeated and
   * reads again. If this continues, raise the function's timeout, or make its batches smaller.
   */
  | 'no-time'
  /**
   * The model has no sums or groups of these edges. Remedy: Declare `total` or `groupBy` under `inbound` or `outgoing`,
   * then migrate.
   */
  | 'no-total'
  /** The edge type is neither counted nor in an edge set. Remedy: Declare `degree: true`. */
  | 'not-counted'
  /** The base item can't be projected in full and is in quarantine. Remedy: Correct the base item. */
  | 'not-derivable'
  /**
   * The item to update doesn't exist; nothing was changed, and `current` is null. Remedy: Put it first, or use `upsert:
   * true`.
   */
  | 'not-found'
  /** The table has replicas, and consumers and migrations run in another region. Remedy: Run it in the named region. */
  | 'not-home-region'
  /**
   * The edge set doesn't have this type or label. Remedy: Declare `edgeSet` in the model, or give `page` `{ edge }`: a
   * Query for each node.
   */
  | 'not-in-edge-set'
  /** The edge type has no inbound order. Remedy: Declare `inbound` in the model. */
  | 'not-indexed'
  /**
   * Nodes of this type are in no list. Remedy: Give the type `list: true`, then migrate; or use `scanNodes`, which
   * scans the whole table.
   */
  | 'not-listed'
  /** Nodes of the type have no views. Remedy: Add `view: ['name']` to the type, or use `getNode`. */
  | 'no-view'
  /**
   * A list can't be filtered by an attribute that its index items don't hold. Remedy: Name the attribute in `project`,
   * then migrate.
   */
  | 'not-projected'
  /** A sample of the table has no items of other software. Remedy: Name another table, or begin with `init`. */
  | 'nothing-to-adopt'
  /** Another process observes the table. Remedy: Stop it, or wait a minute after its end. */
  | 'observer-busy'
  /**
   * A rebuild without a registry while a consumer projects another model. Remedy: Deploy this one and wait a minute, or
   * use `--force`.
   */
  | 'old-consumers'
  /**
   * Software older than the registry has written derived items during a migration. Remedy: Deploy this version to every
   * consumer, wait until calls of the old one have ended, and migrate again.
   */
  /** The prices are for another region than `--region`. Remedy: Pass a file with that region's prices: `--prices`. */
  | 'other-region'
  /** The time ran out before the work was done. Remedy: Call again to continue, or give more time. */
  | 'out-of-time'
  /**
   * The answer to a write was lost: it may have been made or not. Remedy: Read the item, or use `idempotent` or
   * `idempotencyToken`.
   */
  | 'outcome-unknown'
  /** The port is in use. Remedy: Choose another with `--port`. */
  | 'port-in-use'
  /**
   * The table has a version of a `derive` that this model doesn't. The batch waits. Remedy: Deploy a model with that
   * version of the function, as its own or under `others`.
   */
  | 'projection-code-missing'
  /**
   * The table doesn't have this as the model defines it, or is still building it. Remedy: Run `edgeloom migrate` with
   * this model, or wait until it is done.
   */
  | 'projection-not-ready'
  /** A base item wasn't projected in time. Remedy: Check the consumer. */
  | 'projection-timeout'
  /** The page tried to write, but this studio is read-only. Remedy: Start it with `--write`. */
  | 'read-only'
  /**
   * Views of two node types were defined with different options of one edge type. Remedy: Drop the type that has left the model, then
   * migrate.
   */
  | 'registry-conflict'
  /**
   * The table had a registry, which is gone. Remedy: Restore the partition `~edgeloom` from a backup, or migrate and
   * restart the process.
   */
  | 'registry-gone'
  /**
   * The registry names a definition that isn't in the table. Remedy: Restore the partition `~edgeloom`, or register the
   * table again.
   */
  | 'registry-incomplete'
  /**
   * A reader uses a replica of a table whose home is another region. Remedy: Read in the home region, or use the
   * reader's option `replica`.
   */
  | 'replica-read'
  /**
   * The file of `--report` is a link, isn't a regular file, or can't be written. Remedy: Name a new or a regular file.
   */
  | 'report-not-written'
  /**
   * The service has another name than in package.json: its table would be new and empty. Remedy: Use the old name, or
   * change `edgeloom.service` in package.json as well.
   */
  | 'service-renamed'
  /**
   * The search to drop shares the item of another one that is in the model. Remedy: Remove it from the model and
   * migrate, or drop the item's projection.
   */
  | 'shared-item'
  /** The work did not end within four seconds of a signal. Remedy: Run the command again, as after a crash. */
  | 'stopped'
  /** The stream was disabled or deleted. Remedy: Enable it, and start again. */
  | 'stream-ended'
  | 'stream-expired'
  | 'stream-no-shard'
  | 'stream-trimmed'
  /** The studio can't listen on its port. Remedy: Choose another with `--port`. */
  | 'studio-port'
  /**
   * The table lacks an index, the keys or the stream that the model needs, or has a key that isn't a text. Remedy: See
   * the message; `edgeloom table update` adds it, unless the hint says otherwise.
   */
  | 'table-differs'
  /** A table of this name already exists. Remedy: Use it, or another name. */
  | 'table-exists'
  /**
   * The table has another name than in package.json: it would be new and empty. Remedy: Use the old name, or change
   * `edgeloom.table` in package.json as well.
   */
  | 'table-renamed'
  /**
   * An update depends on more than 150 attributes, or 148 for a type that ends. Remedy: Read fewer, or keep small
   * values in one map.
   */
  | 'too-many-attributes'
  /** Too many clients are watching. Remedy: Connect later; raise `maxClients`. */
  | 'too-many-clients'
  /** A list, set or map has more entries than `maxEntries` allows. Remedy: Keep the entries as nodes and edges, or raise the limit. */
  | 'too-many-entries'
  /** A group has more than 50 values. Remedy: Ask with `groups: false`. */
  | 'too-many-groups'
  /**
   * For ten seconds others kept changing what an update or transaction had read. Remedy: Read fewer attributes, or use
   * `{ add }` without `fields` for counters.
   */
  | 'too-much-contention'
  /**
   * The time ran out before everything that a source item makes was written. Remedy: Touch the key again: it continues
   * where it stopped.
   */
  | 'touch-unfinished'
  /**
   * An object in the bucket of failed batches can't be deleted. Its batch is reconciled. Remedy: Allow
   * `s3:DeleteObject` on it.
   */
  | 'undeletable-object'
  /**
   * The registry has a definition with an option that this version of Edgeloom doesn't know. The batch waits. Remedy:
   * Deploy the version that the table was last migrated with.
   */
  | 'unknown-definition'
  /** The model declares no such label in a rank, an edge set, or an enum of `fields`. Remedy: See the message. */
  | 'unknown-label'
  /** A call was given an unknown option. Remedy: See the hint. */
  | 'unknown-option'
  /** The edge type has no order of this name. Remedy: See the message. */
  | 'unknown-order'
  /** Neither the table nor the model has a projection of this name. Remedy: Use a name that `edgeloom status` lists. */
  | 'unknown-projection'
  /** A read of a load isn't a query of the model, or matches several. Remedy: Name one as `edgeloom cost` prints it. */
  | 'unknown-query'
  /** The registry has a layout that this version of Edgeloom doesn't know. Remedy: Update Edgeloom. */
  | 'unknown-registry'
  /** The studio doesn't know the request. Remedy: Reload the page. */
  | 'unknown-request'
  /** The node type has no search of this name. Remedy: See the message. */
  | 'unknown-search'
  /** The model has no such node or edge type. Remedy: Correct the name, or declare the type. */
  | 'unknown-type'
  /** The object with a failed batch cannot be read from S3. Remedy: Check the function's rights and the bucket. */
  | 'unreadable-object'
  /** No signed request may go to the queue's URL. Remedy: Give the URL of an SQS queue, or `--any-host`. */
  | 'untrusted-queue'
  /**
   * `stack --code` has the same key for different code: nothing would be deployed. Remedy: Add `--zip functions.zip`,
   * `?versionId=...`, or a hash in the key.
   */
  | 'unversioned-code'
  /** Options of a command exclude each other, or one is missing. Remedy: See the command's `--help`. */
  | 'usage'
  /** A validator of `fields` threw, or answered in an unknown form. Remedy: Correct the validator. */
  | 'validator-failed'
  /**
   * A batch or import contains a node of a type with `versionAttribute`, or a delete names no version. Remedy: Write it
   * alone, with its version; `--force` skips that.
   */
  | 'versioned-type'
  /**
   * `edgeloom wait` gave up: the message says what was missing. Remedy: Start a projector, or wait longer with `--for`.
   */
  | 'wait-timeout'
  /** It ended before the stream was quiet. Remedy: Find out why it ended. */
  | 'worker-ended'
  /** A worker or mapping was started a second time. Remedy: Create another one. */
  | 'worker-used'
  /**
   * A message names a bucket that failed batches aren't read from. Remedy: Name it with `--bucket`, or in the option
   * `buckets`.
   */
  | 'wrong-bucket'
  /**
   * A stream or failed batch belongs to another table than the model's. Remedy: Give the table's stream, or `--table`.
   */
  | 'wrong-table';
