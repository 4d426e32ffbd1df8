import { adonisjsLucid } from "./adonisjs-lucid.js";
import { agenda } from "./agenda.js";
import { amqpConnectionManager } from "./amqp-connection-manager.js";
import { amqplib } from "./amqplib.js";
import { arangojs } from "./arangojs.js";
import { awsCdkLib } from "./aws-cdk-lib.js";
import { awsLambda } from "./aws-lambda.js";
import { awsLambdaPowertoolsIdempotency } from "./aws-lambda-powertools-idempotency.js";
import { awsSdk } from "./aws-sdk.js";
import { awsSdkV2 } from "./aws-sdk-v2.js";
import { azureServiceBus } from "./azure-service-bus.js";
import { azureStorageQueue } from "./azure-storage-queue.js";
import { beeQueue } from "./bee-queue.js";
import { betterSqlite3 } from "./better-sqlite3.js";
import { bookshelf } from "./bookshelf.js";
import { bull } from "./bull.js";
import { bullmq } from "./bullmq.js";
import { bun } from "./bun.js";
import { confluentincKafkaJavascript } from "./confluentinc-kafka-javascript.js";
import { databases } from "./databases.js";
import { drizzleOrm } from "./drizzle-orm.js";
import { effectSql } from "./effect-sql.js";
import { firestore } from "./firestore.js";
import { gel } from "./gel.js";
import { golevelupNestjsRabbitmq } from "./golevelup-nestjs-rabbitmq.js";
import { googleCloudPubsub } from "./google-cloud-pubsub.js";
import { googleCloudTasks } from "./google-cloud-tasks.js";
import { graphileWorker } from "./graphile-worker.js";
import { kafkajs } from "./kafkajs.js";
import { knex } from "./knex.js";
import { kysely } from "./kysely.js";
import { libsql } from "./libsql.js";
import { loopback } from "./loopback.js";
import { mariadb } from "./mariadb.js";
import { medusa } from "./medusa.js";
import { mikroOrm } from "./mikro-orm.js";
import { mongodb } from "./mongodb.js";
import { mongoose } from "./mongoose.js";
import { mssql } from "./mssql.js";
import { mysql } from "./mysql.js";
import { mysql2 } from "./mysql2.js";
import { nats } from "./nats.js";
import { neo4jDriver } from "./neo4j-driver.js";
import { neon } from "./neon.js";
import { nestjsBull } from "./nestjs-bull.js";
import { nestjsBullmq } from "./nestjs-bullmq.js";
import { nestjsClsTransactional } from "./nestjs-cls-transactional.js";
import { nodeSqlite } from "./node-sqlite.js";
import { objection } from "./objection.js";
import { oracledb } from "./oracledb.js";
import { orchidOrm } from "./orchid-orm.js";
import { pg } from "./pg.js";
import { pgBoss } from "./pg-boss.js";
import { pgPromise } from "./pg-promise.js";
import { pglite } from "./pglite.js";
import { planetscaleDatabase } from "./planetscale-database.js";
import { platformaticKafka } from "./platformatic-kafka.js";
import { postgres } from "./postgres.js";
import { prisma } from "./prisma.js";
import { rascal } from "./rascal.js";
import { remult } from "./remult.js";
import { sequelize } from "./sequelize.js";
import { sequelizeCore } from "./sequelize-core.js";
import { sequelizeTransactionalDecorator } from "./sequelize-transactional-decorator.js";
import { sequelizeTypescript } from "./sequelize-typescript.js";
import { slonik } from "./slonik.js";
import { sqsConsumer } from "./sqs-consumer.js";
import { sqsProducer } from "./sqs-producer.js";
import { tedious } from "./tedious.js";
import { transactionalCore } from "./transactional-core.js";
import { tsSqlQuery } from "./ts-sql-query.js";
import { typeorm } from "./typeorm.js";
import { typeormTransactional } from "./typeorm-transactional.js";
import { typeormTransactionalClsHooked } from "./typeorm-transactional-cls-hooked.js";
import { vercelPostgres } from "./vercel-postgres.js";
import { waterline } from "./waterline.js";
import { zenstack } from "./zenstack.js";
import type { Library } from "./vocabulary.js";

/** Everything that the plugin knows of libraries. */
export const libraries: readonly Library[] = [
  adonisjsLucid,
  agenda,
  amqpConnectionManager,
  amqplib,
  arangojs,
  awsCdkLib,
  awsLambda,
  awsLambdaPowertoolsIdempotency,
  awsSdk,
  awsSdkV2,
  azureServiceBus,
  azureStorageQueue,
  beeQueue,
  betterSqlite3,
  bookshelf,
  bull,
  bullmq,
  bun,
  confluentincKafkaJavascript,
  databases,
  drizzleOrm,
  effectSql,
  firestore,
  gel,
  golevelupNestjsRabbitmq,
  googleCloudPubsub,
  googleCloudTasks,
  graphileWorker,
  kafkajs,
  knex,
  kysely,
  libsql,
  loopback,
  mariadb,
  medusa,
  mikroOrm,
  mongodb,
  mongoose,
  mssql,
  mysql,
  mysql2,
  nats,
  neo4jDriver,
  neon,
  nestjsBull,
  nestjsBullmq,
  nestjsClsTransactional,
  nodeSqlite,
  objection,
  oracledb,
  orchidOrm,
  pg,
  pgBoss,
  pgPromise,
  pglite,
  planetscaleDatabase,
  platformaticKafka,
  postgres,
  prisma,
  rascal,
  remult,
  sequelize,
  sequelizeCore,
  sequelizeTransactionalDecorator,
  sequelizeTypescript,
  slonik,
  sqsConsumer,
  sqsProducer,
  tedious,
  transactionalCore,
  tsSqlQuery,
  typeorm,
  typeormTransactional,
  typeormTransactionalClsHooked,
  vercelPostgres,
  waterline,
  zenstack,
];
