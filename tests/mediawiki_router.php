<?php
// What a web server does before a MediaWiki: logs, misbehaves where a test said so, finds the script or the file.
$root = getenv( 'WIKI_ROOT' );
$home = getenv( 'WIKI_HOME' );
$scripts = getenv( 'WIKI_SCRIPT_PATH' );
$uri = $_SERVER['REQUEST_URI'];

function answer( $status, $headers, $body ) {
	http_response_code( $status );
	foreach ( $headers as $name => $value ) {
		header( "$name: $value" );
	}
	echo $body;
}

/** Whether this fault still has a turn left: counted under a lock, for there are several workers. */
function hasTurn( $file, $times ) {
	$counter = fopen( $file, 'c+' );
	flock( $counter, LOCK_EX );
	$taken = (int)stream_get_contents( $counter );
	if ( $taken < $times ) {
		rewind( $counter );
		fwrite( $counter, $taken + 1 );
	}
	fclose( $counter );
	return $taken < $times;
}

if ( !isset( $_SERVER['HTTP_X_BESIDE_THE_TEST'] ) ) {
	$line = json_encode( [ $_SERVER['REQUEST_METHOD'], $uri, getallheaders() ], JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE );
	file_put_contents( "$root/requests.log", "$line\n", FILE_APPEND | LOCK_EX );
	$switches = json_decode( @file_get_contents( "$root/switches.json" ) ?: '{}', true );
	foreach ( $switches['slow'] ?? [] as [ $match, $seconds ] ) {
		if ( preg_match( "\x01$match\x01u", $uri ) ) {
			usleep( (int)( $seconds * 1e6 ) );
		}
	}
	foreach ( $switches['faults'] ?? [] as $fault ) {
		if ( !preg_match( "\x01{$fault['match']}\x01u", $uri ) ) {
			continue;
		}
		if ( $fault['times'] === null || hasTurn( "$root/fault-{$fault['number']}", $fault['times'] ) ) {
			answer( $fault['status'], $fault['headers'], base64_decode( $fault['body'] ) );
			return;
		}
	}
}

// parse_url fails for paths such as //x or /a:80
$path = explode( '?', $uri, 2 )[0];
if ( $path === '/robots.txt' ) {
	$robots = @file_get_contents( "$root/robots.txt" );
	answer( $robots === false ? 404 : 200, [ 'Content-Type' => 'text/plain; charset=utf-8' ], (string)$robots );
	return;
}

$script = 'index.php';
$rest = '';
if ( str_starts_with( $path, "$scripts/" ) ) {
	$local = substr( $path, strlen( $scripts ) + 1 );
	if ( preg_match( '#^((?:api|index|load|opensearch_desc|rest|thumb)\.php)(/.*)?$#D', $local, $found ) ) {
		$script = $found[1];
		$rest = rawurldecode( $found[2] ?? '' );
	} elseif ( preg_match( '#^(?:extensions|images|resources|skins)/[^?]*\.(\w+)$#D', $local, $found ) && !str_contains( $local, '..' ) ) {
		$types = [ 'css' => 'text/css', 'js' => 'text/javascript', 'png' => 'image/png', 'svg' => 'image/svg+xml' ];
		$file = ( str_starts_with( $local, 'images/' ) ? $root : $home ) . '/' . rawurldecode( $local );
		$known = isset( $types[$found[1]] ) && is_file( $file );
		answer( $known ? 200 : 404, [ 'Content-Type' => $known ? $types[$found[1]] : 'text/plain' ], $known ? file_get_contents( $file ) : '' );
		return;
	} elseif ( $scripts !== '' && $local !== '' ) {
		answer( 404, [ 'Content-Type' => 'text/html' ], '<h1>Not Found</h1>' );
		return;
	}
}

$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "$scripts/$script";
$_SERVER['SCRIPT_FILENAME'] = "$home/$script";
unset( $_SERVER['PATH_INFO'], $_SERVER['ORIG_PATH_INFO'] );
if ( $rest !== '' ) {
	$_SERVER['PATH_INFO'] = $rest;
	$_SERVER['PHP_SELF'] .= $rest;
}
chdir( $home );
require "$home/$script";
