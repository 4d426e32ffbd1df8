import { adonisjsLucid } from "./adonisjs-lucid.js";
import { aftercommit } from "./aftercommit.js";
import { agenda } from "./agenda.js";
import { ai } from "./ai.js";
import { amqpConnectionManager } from "./amqp-connection-manager.js";
import { amqplib } from "./amqplib.js";
import { anthropic } from "./anthropic.js";
import { arangojs } from "./arangojs.js";
import { asyncMutex } from "./async-mutex.js";
import { asyncRetry } from "./async-retry.js";
import { awsCdkLib } from "./aws-cdk-lib.js";
import { awsLambda } from "./aws-lambda.js";
import { awsLambdaPowertoolsIdempotency } from "./aws-lambda-powertools-idempotency.js";
import { awsSdk } from "./aws-sdk.js";
import { awsSdkV2 } from "./aws-sdk-v2.js";
import { axios } from "./axios.js";
import { azureServiceBus } from "./azure-service-bus.js";
import { azureStorageQueue } from "./azure-storage-queue.js";
import { beeQueue } from "./bee-queue.js";
import { betterSqlite3 } from "./better-sqlite3.js";
import { bookshelf } from "./bookshelf.js";
import { boringnodeQueue } from "./boringnode-queue.js";
import { bson } from "./bson.js";
import { bull } from "./bull.js";
import { bullmq } from "./bullmq.js";
import { bun } from "./bun.js";
import { cacheManager } from "./cache-manager.js";
import { cloudflare } from "./cloudflare.js";
import { confluentincKafkaJavascript } from "./confluentinc-kafka-javascript.js";
import { cuid } from "./cuid.js";
import { databases } from "./databases.js";
import { dbos } from "./dbos.js";
import { drizzleOrm } from "./drizzle-orm.js";
import { effectSql } from "./effect-sql.js";
import { effectWorkflow } from "./effect-workflow.js";
import { eventemitter2 } from "./eventemitter2.js";
import { faktoryWorker } from "./faktory-worker.js";
import { fetchApi } from "./fetch.js";
import { firestore } from "./firestore.js";
import { gel } from "./gel.js";
import { golevelupNestjsRabbitmq } from "./golevelup-nestjs-rabbitmq.js";
import { googleCloudPubsub } from "./google-cloud-pubsub.js";
import { googleCloudTasks } from "./google-cloud-tasks.js";
import { got } from "./got.js";
import { graphileWorker } from "./graphile-worker.js";
import { graphqlSubscriptions } from "./graphql-subscriptions.js";
import { inngest } from "./inngest.js";
import { ioredis } from "./ioredis.js";
import { javascript } from "./javascript.js";
import { kafkajs } from "./kafkajs.js";
import { knex } from "./knex.js";
import { ksuid } from "./ksuid.js";
import { ky } from "./ky.js";
import { kysely } from "./kysely.js";
import { libsql } from "./libsql.js";
import { loopback } from "./loopback.js";
import { mariadb } from "./mariadb.js";
import { medusa } from "./medusa.js";
import { medusaEventBus } from "./medusa-event-bus.js";
import { mikroOrm } from "./mikro-orm.js";
import { mongodb } from "./mongodb.js";
import { mongoose } from "./mongoose.js";
import { mqtt } from "./mqtt.js";
import { mssql } from "./mssql.js";
import { mysql } from "./mysql.js";
import { mysql2 } from "./mysql2.js";
import { nanoid } from "./nanoid.js";
import { nats } from "./nats.js";
import { neo4jDriver } from "./neo4j-driver.js";
import { neon } from "./neon.js";
import { nestjsAxios } from "./nestjs-axios.js";
import { nestjsBull } from "./nestjs-bull.js";
import { nestjsBullmq } from "./nestjs-bullmq.js";
import { nestjsClsTransactional } from "./nestjs-cls-transactional.js";
import { nestjsCqrs } from "./nestjs-cqrs.js";
import { nestjsMicroservices } from "./nestjs-microservices.js";
import { nestjsModulesMailer } from "./nestjs-modules-mailer.js";
import { nodeCrypto } from "./node-crypto.js";
import { nodeHttp } from "./node-http.js";
import { nodeSqlite } from "./node-sqlite.js";
import { nodemailer } from "./nodemailer.js";
import { objection } from "./objection.js";
import { openai } from "./openai.js";
import { oracledb } from "./oracledb.js";
import { orchidOrm } from "./orchid-orm.js";
import { pRetry } from "./p-retry.js";
import { pg } from "./pg.js";
import { pgBoss } from "./pg-boss.js";
import { pgPromise } from "./pg-promise.js";
import { pglite } from "./pglite.js";
import { planetscaleDatabase } from "./planetscale-database.js";
import { platformaticKafka } from "./platformatic-kafka.js";
import { postgres } from "./postgres.js";
import { postmark } from "./postmark.js";
import { prisma } from "./prisma.js";
import { randomStrings } from "./random-strings.js";
import { rascal } from "./rascal.js";
import { redis } from "./redis.js";
import { redlock } from "./redlock.js";
import { remult } from "./remult.js";
import { resend } from "./resend.js";
import { rlanzBullQueue } from "./rlanz-bull-queue.js";
import { sendgrid } from "./sendgrid.js";
import { sequelize } from "./sequelize.js";
import { sequelizeCore } from "./sequelize-core.js";
import { sequelizeTransactionalDecorator } from "./sequelize-transactional-decorator.js";
import { sequelizeTypescript } from "./sequelize-typescript.js";
import { sidequest } from "./sidequest.js";
import { slonik } from "./slonik.js";
import { socketIo } from "./socket-io.js";
import { sqsConsumer } from "./sqs-consumer.js";
import { sqsProducer } from "./sqs-producer.js";
import { stripe } from "./stripe.js";
import { tedious } from "./tedious.js";
import { temporal } from "./temporal.js";
import { transactionalCore } from "./transactional-core.js";
import { triggerDev } from "./trigger-dev.js";
import { tsSqlQuery } from "./ts-sql-query.js";
import { twilio } from "./twilio.js";
import { typeorm } from "./typeorm.js";
import { typeormTransactional } from "./typeorm-transactional.js";
import { typeormTransactionalClsHooked } from "./typeorm-transactional-cls-hooked.js";
import { ulid } from "./ulid.js";
import { undici } from "./undici.js";
import { upstashQstash } from "./upstash-qstash.js";
import { upstashWorkflow } from "./upstash-workflow.js";
import { uuid } from "./uuid.js";
import { vercelPostgres } from "./vercel-postgres.js";
import { vercelQueue } from "./vercel-queue.js";
import { waterline } from "./waterline.js";
import { ws } from "./ws.js";
import { zenstack } from "./zenstack.js";
import { timers } from "./timers.js";
import { pTimeout } from "./p-timeout.js";
import { ms } from "./ms.js";
import { dateFns } from "./date-fns.js";
import { dayjs } from "./dayjs.js";
import { luxon } from "./luxon.js";
import { moment } from "./moment.js";
import { nodeFs } from "./node-fs.js";
import { zod } from "./zod.js";
import { express } from "./express.js";
import { fastify } from "./fastify.js";
import { hono } from "./hono.js";
import type { Library } from "./vocabulary.js";

/** Everything that the plugin knows of libraries. */
export const libraries: readonly Library[] = [
  adonisjsLucid,
  aftercommit,
  agenda,
  ai,
  amqpConnectionManager,
  amqplib,
  anthropic,
  arangojs,
  asyncMutex,
  asyncRetry,
  awsCdkLib,
  awsLambda,
  awsLambdaPowertoolsIdempotency,
  awsSdk,
  awsSdkV2,
  axios,
  azureServiceBus,
  azureStorageQueue,
  beeQueue,
  betterSqlite3,
  bookshelf,
  boringnodeQueue,
  bson,
  bull,
  bullmq,
  bun,
  cacheManager,
  cloudflare,
  confluentincKafkaJavascript,
  cuid,
  databases,
  dbos,
  drizzleOrm,
  effectSql,
  effectWorkflow,
  eventemitter2,
  faktoryWorker,
  fetchApi,
  firestore,
  gel,
  golevelupNestjsRabbitmq,
  googleCloudPubsub,
  googleCloudTasks,
  got,
  graphileWorker,
  graphqlSubscriptions,
  inngest,
  ioredis,
  javascript,
  kafkajs,
  knex,
  ksuid,
  ky,
  kysely,
  libsql,
  loopback,
  mariadb,
  medusa,
  medusaEventBus,
  mikroOrm,
  mongodb,
  mongoose,
  mqtt,
  mssql,
  mysql,
  mysql2,
  nanoid,
  nats,
  neo4jDriver,
  neon,
  nestjsAxios,
  nestjsBull,
  nestjsBullmq,
  nestjsClsTransactional,
  nestjsCqrs,
  nestjsMicroservices,
  nestjsModulesMailer,
  nodeCrypto,
  nodeHttp,
  nodeSqlite,
  nodemailer,
  objection,
  openai,
  oracledb,
  orchidOrm,
  pRetry,
  pg,
  pgBoss,
  pgPromise,
  pglite,
  planetscaleDatabase,
  platformaticKafka,
  postgres,
  postmark,
  prisma,
  randomStrings,
  rascal,
  redis,
  redlock,
  remult,
  resend,
  rlanzBullQueue,
  sendgrid,
  sequelize,
  sequelizeCore,
  sequelizeTransactionalDecorator,
  sequelizeTypescript,
  sidequest,
  slonik,
  socketIo,
  sqsConsumer,
  sqsProducer,
  stripe,
  tedious,
  temporal,
  transactionalCore,
  triggerDev,
  tsSqlQuery,
  twilio,
  typeorm,
  typeormTransactional,
  typeormTransactionalClsHooked,
  ulid,
  undici,
  upstashQstash,
  upstashWorkflow,
  uuid,
  vercelPostgres,
  vercelQueue,
  waterline,
  ws,
  zenstack,
  timers,
  pTimeout,
  ms,
  dateFns,
  dayjs,
  luxon,
  moment,
  nodeFs,
  zod,
  express,
  fastify,
  hono,
];
