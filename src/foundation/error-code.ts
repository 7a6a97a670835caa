/**
 * The code of an error. docs/reference/errors.md is generated from these comments. For a failed DynamoDB call, the code
 * may also be DynamoDB's name of the error.
 */
export type ErrorCode =
  /** The engine or feed has ended, or the worker has ended or was started before. Remedy: Start a new one. */
  | 'already-ended'
  /**
   * A check, an observer, or an engine on the same data folder is already running. Remedy: Stop it, or wait; for an
   * engine, you can also choose a different folder. If the observer is the function of the stack, try again until the
   * command starts between two runs of the function.
   */
  | 'already-running'
  /** The records of a failed batch have left the stream. Remedy: Run `edgeloom check --repair`. */
  | 'batch-trimmed'
  /**
   * A condition did not hold, and nothing was changed. `current` has the stored attributes, or null if there is no
   * item; for a transaction, `failures` lists each. Remedy: Read the item, and decide again.
   */
  | 'condition-failed'
  /**
   * The cursor's order has changed with the model (docs/how-to/changing-the-model.md). Remedy: Start again without a
   * cursor.
   */
  | 'cursor-outdated'
  /** The record of an erasure can't be read. Remedy: Delete the named item, and erase again. */
  | 'damaged-erasure'
  /** The demo found a result that differs from its data files. Remedy: Report it. */
  | 'demo-mismatch'
  /** The edge joins nodes of different tenants (docs/reference/model-options.md#the-table). Remedy: Correct the ids. */
  | 'edge-between-tenants'
  /** The engine did not start. Remedy: Look at its output, which is in the message. */
  | 'engine-failed'
  /**
   * A file of a new project, or of `--out`, already exists, so no file was written. Remedy: Choose an empty folder, or
   * a different file.
   */
  | 'file-exists'
  /** A file or folder can't be read or written. Remedy: Correct the path, or its rights, unless the hint says otherwise. */
  | 'file-failed'
  /**
   * A DynamoDB response is incomplete; the request can be retried. Remedy: None, if the retry succeeds; otherwise check
   * your proxies.
   */
  | 'incomplete-answer'
  /**
   * An argument or option is unknown or missing, or has a value that the call doesn't accept. Remedy: See the message
   * and the hint.
   */
  | 'invalid-argument'
  /**
   * An attribute has a name or value that DynamoDB, the model or the type's validator refuses. Remedy: Correct the
   * named attribute.
   */
  | 'invalid-attribute'
  /**
   * Operations of a batch are invalid for different reasons, and nothing was written. `problems` lists them.
   * Remedy: Correct each of them.
   */
  | 'invalid-batch'
  /**
   * There is no model file at the path, it cannot be loaded, or it exports no model. Remedy: Name it with `--config`,
   * or export the result of `defineGraph` as default.
   */
  | 'invalid-config'
  /** A stored count or total is not a number. Remedy: Run `edgeloom check --repair`. */
  | 'invalid-count'
  /**
   * The cursor was altered, or belongs to a different query or table. Remedy: Pass cursors unchanged, with the same
   * arguments, or start without one.
   */
  | 'invalid-cursor'
  /**
   * The edge type does not join these node types, or the edge's key does not match its type. Remedy: See the message.
   */
  | 'invalid-edge'
  /**
   * An environment variable is wrong or missing, such as the region. Remedy: Correct the named variable; commands also
   * take `--region`.
   */
  | 'invalid-environment'
  /** A message of an on-failure destination can't be read. Remedy: Correct or delete the message. */
  | 'invalid-failure-message'
  /**
   * A file isn't what it should be: a worker's checkpoint, a full export to S3 in DynamoDB JSON, or prices of the
   * region. Remedy: Delete the checkpoint (projecting the records again changes nothing); give the whole folder of the
   * export; copy the price file that comes with the package, and set its region's prices.
   */
  | 'invalid-file'
  /** A value isn't a node id such as `USER-1`, or isn't a type name. Remedy: Use a type, `-` and a key, or `newId('USER')`. */
  | 'invalid-id'
  /** A line or document isn't JSON, or a line has more than 8 MiB. Remedy: Correct the named line. */
  | 'invalid-json'
  /**
   * A key of an item is not a string, does not fit the model, or begins with `~`, which marks derived items. Remedy:
   * Correct the named key.
   */
  | 'invalid-key'
  /** Lines of an import are invalid, and nothing was written. Remedy: Correct the lines, or use `--skip-bad`. */
  | 'invalid-lines'
  /** The `map` of a source throws, or returns items that the model refuses. Remedy: See the message. */
  | 'invalid-mapping'
  /** The model has mistakes. `mistakes` names each with its path. Remedy: Correct each path in the model file. */
  | 'invalid-model'
  /**
   * Parameters of the stack are invalid; the message names them. Remedy: Correct them (docs/reference/parameters.md).
   */
  | 'invalid-parameters'
  /**
   * An event has no records, or a record without a sequence number or string keys. Remedy: Check that the stream
   * belongs to the model's table.
   */
  | 'invalid-record'
  /** The session token was altered, or belongs to a different key or table. Remedy: Start a new session. */
  | 'invalid-session'
  /** The item is larger than 400 KB. Remedy: Move a large attribute to a different node, or out of the table. */
  | 'item-too-large'
  /**
   * Some items do not fit a projection that a migration builds: their rank lacks the label, a value has a different
   * type, or a `derive` throws. Remedy: Correct the items or the model, or accept that readers miss them.
   */
  | 'items-left-out'
  /**
   * A partition key of a base item has more than 2,048 bytes, or its sort key more than 1,024. A node's id is both.
   * Remedy: Use shorter ids, or `keys: 'hashed'` on the edge type.
   */
  | 'key-too-long'
  /**
   * This would remove the last generation that readers can use. Remedy: Migrate to the next model first, or use
   * `--drop`.
   */
  | 'last-generation'
  /**
   * A migration waits until no late call can reach the retired projection. Remedy: Wait, or stop the migration: the
   * next one completes the deletion.
   */
  | 'late-writes'
  /**
   * Reading the first rows of a watched list takes more than `maxRcu`, because its index has many items that the list
   * leaves out. Remedy: Watch a narrower range, or fewer rows; or raise `maxRcu`.
   */
  | 'list-not-filled'
  /**
   * No version of a source's mapping is in force, or a different one, so the change must be sent again. Remedy: Run
   * `edgeloom mirror sync` with the model file that is deployed.
   */
  | 'mapping-not-in-force'
  /** Items of this type are made by a source, so they cannot be written. Remedy: Write the source's item instead. */
  | 'mirrored-type'
  /** The stream doesn't have both images. Remedy: Set the view type to NEW_AND_OLD_IMAGES. */
  | 'missing-images'
  /**
   * The service's or table's name differs from the one in package.json, so the stack or table would be new and empty.
   * Remedy: Use the old name, or change `edgeloom.service` or `edgeloom.table` in package.json as well.
   */
  | 'name-changed'
  /** Nothing answers at the endpoint. Remedy: Start an engine with `edgeloom dev`, or correct `--endpoint`. */
  | 'no-connection'
  /** The reader has no feed. Remedy: Pass the `feed` of `startFeed` to `createReader`. */
  | 'no-feed'
  /**
   * The index that a read needs is missing, is still being filled, or has different keys. Remedy: Run `edgeloom
   * migrate`, unless the hint says otherwise.
   */
  | 'no-index'
  /**
   * DynamoDB's time is unknown, so no expired edges are deleted. Remedy: Let the header `Date` of its responses
   * through, or pass `serverTime`.
   */
  | 'no-server-time'
  /** The table has no stream, or the stream is gone. Remedy: Enable one with both images. */
  | 'no-stream'
  /** The page was opened without the studio's token. Remedy: Open the address that `edgeloom studio` printed last. */
  | 'no-studio-token'
  /** The table does not exist. Remedy: Create it with `edgeloom table create`, or correct its name. */
  | 'no-table'
  /**
   * A write was not sent, because no time was left for it, or because the items that it depends on were read too long
   * ago. Remedy: None; the batch is delivered again. If this repeats, raise the function's timeout, or make its batches
   * smaller.
   */
  | 'no-time'
  /**
   * A failed batch is in a bucket that is not allowed, or the URL is not an SQS queue's, so no signed request is sent.
   * Remedy: Name the bucket with `--bucket` or in the option `buckets`; correct the URL, or use `--any-host`.
   */
  | 'not-allowed'
  /**
   * The model doesn't declare what the read needs, such as an order, a view, a count or an attribute of an index item.
   * Remedy: Declare what the hint names, then migrate, or use the read that the hint names.
   */
  | 'not-declared'
  /** The base item cannot be projected in full, and is quarantined. Remedy: Correct the base item. */
  | 'not-derivable'
  /**
   * The item to update does not exist. Nothing was changed, and `current` is null. Remedy: Put the item first, or pass
   * `upsert: true`.
   */
  | 'not-found'
  /**
   * The table has replicas, and its consumers and migrations run in a different region. Remedy: Run the command in the
   * named region.
   */
  | 'not-home-region'
  /**
   * A package, an engine or Java is not installed, or the engine cannot be downloaded. Remedy: Install what the message
   * or the hint names, or use `--engine memory`; try a failed download again.
   */
  | 'not-installed'
  /**
   * The table is empty, has binary keys, or has only Edgeloom's own items. Remedy: Choose a different table, write the
   * model file by hand, or start with `init`.
   */
  | 'nothing-to-adopt'
  /**
   * An object of a failed batch can't be read or deleted, or its bucket can't be listed. Remedy: Allow what the hint
   * names; correct the bucket.
   */
  | 'object-failed'
  /**
   * A consumer projects a different model, and the table has no registry. Remedy: Deploy this model to all consumers
   * and wait a minute, or use `--force`.
   */
  | 'old-consumers'
  /** The time ran out before the work was done. Remedy: Call again to continue, or allow more time. */
  | 'out-of-time'
  /**
   * The response to a write was lost, so the write may or may not have been made, or the item could not be read after
   * the write. Remedy: Read the item, or use `idempotent` or `idempotencyToken`.
   */
  | 'outcome-unknown'
  /** The port is in use, or cannot be opened. Remedy: Choose a different one with `--port`. */
  | 'port-in-use'
  /**
   * The table has a version of a `derive` that this model doesn't. The batch waits. Remedy: Deploy a model with that
   * version of the function, as its own or under `others`.
   */
  | 'projection-code-missing'
  /**
   * The table doesn't have this projection as the model defines it, or is still building it. Remedy: Run
   * `edgeloom migrate` with this model, or wait until it is done.
   */
  | 'projection-not-ready'
  /**
   * What was written was not projected in time. Remedy: Check that a consumer is running (`edgeloom status`), or wait
   * longer.
   */
  | 'projection-timeout'
  /** The studio is read-only. Remedy: Start it with `--write`. */
  | 'read-only'
  /**
   * Views of two node types were defined with different options of one edge type. Remedy: Drop the type that has left
   * the model, then migrate.
   */
  | 'registry-conflict'
  /**
   * The table's registry is missing, although it had one. Remedy: Restore the partition `~edgeloom` from a backup, or
   * migrate and restart the process.
   */
  | 'registry-gone'
  /**
   * The registry names a definition that isn't in the table. Remedy: Restore the partition `~edgeloom`, or register the
   * table again.
   */
  | 'registry-incomplete'
  /**
   * The reader uses a replica of a table whose home is a different region. Remedy: Read in the home region, or pass the
   * option `replica`.
   */
  | 'replica-read'
  /**
   * The search to drop shares its index item with another search, and the model still has it. Remedy: Remove the search
   * from the model and migrate, or drop the projection of the item.
   */
  | 'shared-item'
  /**
   * `read` or `keys` of a source threw; the `cause` is its error. Remedy: Correct the function, or the database that it
   * reads. Then touch the key again, or continue the sync with `--resume`.
   */
  | 'source-failed'
  /**
   * A command was interrupted before its end, or took too long to stop. Remedy: Run it again; continue a
   * sync with `--resume`.
   */
  | 'stopped'
  /** The stream was disabled or deleted. Remedy: Enable it, and start again. */
  | 'stream-ended'
  | 'stream-expired'
  | 'stream-no-shard'
  | 'stream-trimmed'
  /**
   * The table lacks keys or a stream that the model needs, a key attribute is not a string, or the table cannot get an
   * index. Remedy: Run `edgeloom table update`, unless the hint says otherwise.
   */
  | 'table-differs'
  /** A table with this name already exists. Remedy: Use the table, or choose a different name. */
  | 'table-exists'
  /**
   * An update depends on more than 150 attributes (148 for a type with `expires`). Remedy: Read fewer attributes, or
   * keep small values in a map.
   */
  | 'too-many-attributes'
  /** Too many clients are watching, or they are too slow. Remedy: Connect later, or raise `maxClients`. */
  | 'too-many-clients'
  /**
   * A list, set or map has more entries than `maxEntries` allows. Remedy: Keep the entries as nodes and edges, or raise
   * the limit.
   */
  | 'too-many-entries'
  /** A group has more than 50 values. Remedy: Ask with `groups: false`. */
  | 'too-many-groups'
  /**
   * Other writers kept changing what an update or transaction had read, for ten seconds; or another process put a
   * source into force during a sync. Remedy: Read fewer attributes, or use `{ add }` for counters, without `fields`; or
   * sync again.
   */
  | 'too-much-contention'
  /**
   * The model has no order, search, label, projection or query of this name. Remedy: Use a name that the hint lists.
   */
  | 'unknown-name'
  /**
   * The registry has a layout or an option that this version of Edgeloom doesn't know. Batches wait. Remedy: Deploy the
   * version that the table was last migrated with.
   */
  | 'unknown-registry'
  /** The studio does not know the request. Remedy: Load the page again. */
  | 'unknown-request'
  /** The model has no such node or edge type. Remedy: Correct the name, or declare the type. */
  | 'unknown-type'
  /** Options of a command exclude each other, or one is missing. Remedy: See the hint, or the command's `--help`. */
  | 'usage'
  /** A validator of `fields` threw, or is asynchronous where the call is not. Remedy: Correct the validator. */
  | 'validator-failed'
  /**
   * A batch, `putMany`, `nodeItem` or import has a node of a type with `versionAttribute`, or a delete names no
   * version. Remedy: Write the node alone, with its version, or use `--force`.
   */
  | 'versioned-type'
  /**
   * A stream or a failed batch belongs to a different table than the model's, or the string isn't a stream's ARN.
   * Remedy: Pass the ARN of the table's stream, or `--table`.
   */
  | 'wrong-table';
