<?php
// A shop: PHP's own server and PDO, a connection for each request. FIX=1 mends the mistakes.

// locked ends the query of a row that is changed afterwards.
function locked(): string
{
    return getenv('FIX') ? ' FOR UPDATE' : '';
}

function install(PDO $db): array
{
    $db->exec('CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL)');
    $db->exec('CREATE TABLE card (code text PRIMARY KEY, balance numeric NOT NULL)');
    $db->exec('CREATE TABLE sale (id serial PRIMARY KEY, item int NOT NULL REFERENCES item, who text NOT NULL)');
    $db->exec('CREATE TABLE payment (card text NOT NULL REFERENCES card, amount numeric NOT NULL)');
    $db->exec("INSERT INTO item VALUES (1, 1)");
    $db->exec("INSERT INTO card VALUES ('GIFT', 100)");
    return [201, []];
}

function buy(PDO $db, array $q): array
{
    $s = $db->prepare('SELECT stock FROM item WHERE id = ?' . locked());
    $s->execute([$q['item']]);
    if ($s->fetchColumn() < 1) {
        return [409, ['error' => 'sold out']];
    }
    $db->prepare('UPDATE item SET stock = stock - 1 WHERE id = ?')->execute([$q['item']]);
    $db->prepare('INSERT INTO sale (item, who) VALUES (?, ?)')->execute([$q['item'], $q['who']]);
    return [200, ['bought' => $q['item']]];
}

function pay(PDO $db, array $q): array
{
    $s = $db->prepare('SELECT balance FROM card WHERE code = ?' . locked());
    $s->execute([$q['card']]);
    $left = $s->fetchColumn() - $q['amount'];
    if ($left < 0) {
        return [402, ['error' => 'not enough']];
    }
    $db->prepare('UPDATE card SET balance = ? WHERE code = ?')->execute([$left, $q['card']]);
    $db->prepare('INSERT INTO payment VALUES (?, ?)')->execute([$q['card'], $q['amount']]);
    return [200, ['left' => $left]];
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/health') {
    echo 'ok';
    return;
}
$handler = ['/install' => 'install', '/buy' => 'buy', '/pay' => 'pay'][$path] ?? null;
if ($handler === null) {
    http_response_code(404);
    return;
}
$url = parse_url(getenv('DATABASE_URL'));
$db = new PDO("pgsql:host={$url['host']};port={$url['port']};dbname=" . substr($url['path'], 1), $url['user'], $url['pass']);
$db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
$db->beginTransaction();
[$status, $body] = $handler($db, json_decode(file_get_contents('php://input'), true) ?? []);
$status < 400 ? $db->commit() : $db->rollBack();
http_response_code($status);
header('Content-Type: application/json');
echo json_encode($body);
